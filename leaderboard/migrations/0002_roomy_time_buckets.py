"""A bucket's row is rewritten with every win: half-empty pages let PostgreSQL do so in place."""

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0001_initial")]

    operations = [
        migrations.RunSQL(
            "ALTER TABLE leaderboard_timebucket SET (fillfactor = 50)",
            "ALTER TABLE leaderboard_timebucket RESET (fillfactor)",
        )
    ]
