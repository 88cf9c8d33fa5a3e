"""Give races, days, weeks, months and years boards; the ranked attempts that there are stand on them at once."""

import django.db.models.deletion
from django.db import migrations, models

FILL = """
CREATE TEMPORARY TABLE ranked ON COMMIT DROP AS
SELECT a.*, name.kind, name.race_id, name.period
FROM games_attempt a
LEFT JOIN leaderboard_entry e ON e.attempt_id = a.id AND e.ranked
LEFT JOIN leaderboard_race race ON race.id = e.race_id,
LATERAL (SELECT coalesce(race.day, (coalesce(race.opens_at, a.started_at) AT TIME ZONE 'UTC')::date) AS day) d,
LATERAL (VALUES
    ('race', race.id, ''),
    ('day', NULL, to_char(d.day, 'YYYY-MM-DD')),
    ('week', NULL, to_char(d.day, 'IYYY-"W"IW')),
    ('month', NULL, to_char(d.day, 'YYYY-MM')),
    ('year', NULL, to_char(d.day, 'YYYY'))
) name (kind, race_id, period)
WHERE a.ranked AND (name.kind <> 'race' OR name.race_id IS NOT NULL);

INSERT INTO leaderboard_board (kind, ruleset, deal_id, race_id, period, clock, "order")
SELECT DISTINCT r.kind, r.ruleset, NULL::bigint, r.race_id, r.period, 'server', o."order"
FROM ranked r
JOIN leaderboard_board o ON o.kind = 'ruleset' AND o.ruleset = r.ruleset;

INSERT INTO leaderboard_standing (board_id, player_id, attempt_id, key1, key2, key3, ended_at)
SELECT DISTINCT ON (b.id, r.player_id) b.id, r.player_id, r.id, k.key1, k.key2, k.key3, r.ended_at
FROM ranked r
JOIN leaderboard_board b ON b.kind = r.kind AND b.ruleset = r.ruleset AND b.period = r.period
    AND b.race_id IS NOT DISTINCT FROM r.race_id
JOIN LATERAL (VALUES
    ('time', r.official_ms, r.counted_moves, 0),
    ('moves', r.counted_moves, r.official_ms, 0),
    ('points', -(r.points + coalesce(r.bonus, 0)), r.official_ms, r.counted_moves)
) k ("order", key1, key2, key3) ON k."order" = b."order"
WHERE r."end" = 'won' AND r.held = '' AND r.voided_at IS NULL
ORDER BY b.id, r.player_id, k.key1, k.key2, k.key3, r.ended_at, r.id;

INSERT INTO leaderboard_timebucket (board_id, shift, bucket, shard, count)
SELECT board_id, shift, key1 >> shift, 0, count(*)
FROM leaderboard_standing s JOIN leaderboard_board b ON b.id = s.board_id, (VALUES (4), (10), (16)) levels (shift)
WHERE b."order" = 'time' AND b.kind NOT IN ('deal', 'ruleset')
GROUP BY 1, 2, 3;
"""
EMPTY = "DELETE FROM leaderboard_{} WHERE board_id IN (SELECT id FROM leaderboard_board WHERE kind NOT IN ('deal', 'ruleset'))"
TAKE_BACK = [
    EMPTY.format("timebucket"),
    EMPTY.format("standing"),
    "DELETE FROM leaderboard_board WHERE kind NOT IN ('deal', 'ruleset')",
    "SET CONSTRAINTS ALL IMMEDIATE",
]


class Migration(migrations.Migration):
    dependencies = [
        ("games", "0004_wins_with_the_same_moves"),
        ("leaderboard", "0005_levels_of_time_buckets"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="board", name="board_stored_once"),
        migrations.AddField(
            model_name="board", name="period", field=models.CharField(blank=True, db_default="", default="", max_length=10)
        ),
        migrations.AddField(
            model_name="board",
            name="race",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="boards",
                to="leaderboard.race",
            ),
        ),
        migrations.AddConstraint(
            model_name="board",
            constraint=models.UniqueConstraint(
                fields=("deal", "race", "ruleset", "period", "clock", "order"),
                name="board_stored_once",
                nulls_distinct=False,
            ),
        ),
        migrations.RunSQL(FILL, TAKE_BACK),
        # the rest of the migration must not wait for the checks of what was just stored
        migrations.RunSQL("SET CONSTRAINTS ALL IMMEDIATE", migrations.RunSQL.noop),
    ]
