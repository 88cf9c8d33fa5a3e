"""Keep in a standing what a page shows of its attempt, so that a page need not look a hundred attempts up."""

from django.db import migrations, models

FILL = """
UPDATE leaderboard_standing s
SET deal_id = a.deal_id, points = a.points, bonus = a.bonus, ranked = a.ranked, assisted = a.assisted
FROM games_attempt a WHERE a.id = s.attempt_id
"""
COPIES = {
    "deal": lambda **more: models.ForeignKey(
        "games.deal", models.PROTECT, related_name="+", db_index=False, db_constraint=False, **more
    ),
    "points": models.IntegerField,
    "ranked": models.BooleanField,
    "assisted": models.BooleanField,
}


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0007_seasons")]

    operations = [
        *(migrations.AddField("standing", name, field(null=True)) for name, field in COPIES.items()),
        migrations.AddField("standing", "bonus", models.IntegerField(null=True)),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
        # what was just stored is checked now: its table cannot be altered before
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
        *(migrations.AlterField("standing", name, field()) for name, field in COPIES.items()),
    ]
