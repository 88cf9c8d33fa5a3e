"""docs/asyncapi.yaml, which describes every frame, and frames checked against it."""

from functools import cache
from typing import Any

import yaml
from jsonschema import Draft7Validator

from tests.site.servers import ROOT

DESCRIPTION = yaml.safe_load((ROOT / "docs/asyncapi.yaml").read_text())
MESSAGES = DESCRIPTION["components"]["messages"]


@cache
def validator(message: str) -> Draft7Validator:
    """What checks the payload of a message."""
    return Draft7Validator(MESSAGES[message]["payload"] | {"components": DESCRIPTION["components"]})


def check_frame(frame: dict[str, Any]) -> None:
    """Assert that a server's frame is as it is described; there is none without a description."""
    errors = [f"{error.json_path}: {error.message}" for error in validator(frame["type"]).iter_errors(frame)]
    assert not errors, (errors, frame)


def resolve(reference: str) -> Any:
    """What a $ref of the description names."""
    found = DESCRIPTION
    for name in reference.removeprefix("#/").split("/"):
        found = found[name]
    return found
