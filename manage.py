#!/usr/bin/env python
"""Pyramidion's command line: `manage.py serve`, `manage.py verify_replay`, `manage.py help`."""

import os
import sys


def main() -> None:
    """Run the command named on the command line."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pyramid_site.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
