
import django.db.models.deletion
from django.db import migrations, models


# an open attempt's pass is right again after its next move
FILL = """
INSERT INTO leaderboard_progress (entry_id, race_id, attempt_id, state, removed, moves, pass, ends_at, changed_at)
SELECT e.id, e.race_id, a.id,
    CASE WHEN a.voided_at IS NOT NULL THEN 'voided' WHEN a.held <> '' THEN 'held'
        WHEN a."end" = '' THEN 'playing' ELSE a."end" END,
    28 - a."left", a.counted_moves, 1, a.ends_at, coalesce(a.ended_at, a.started_at)
FROM leaderboard_entry e JOIN games_attempt a ON a.id = e.attempt_id
"""


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0007_guests'),
        ('leaderboard', '0008_standings_show_their_attempts'),
    ]

    operations = [
        migrations.CreateModel(
            name='Progress',
            fields=[
                ('entry', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='progress', serialize=False, to='leaderboard.entry')),
                ('state', models.CharField(max_length=8)),
                ('removed', models.SmallIntegerField()),
                ('moves', models.IntegerField()),
                ('pass_number', models.SmallIntegerField(db_column='pass')),
                ('ends_at', models.DateTimeField()),
                ('changed_at', models.DateTimeField()),
                ('attempt', models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name='+', to='games.attempt')),
                ('race', models.ForeignKey(db_index=False, on_delete=django.db.models.deletion.PROTECT, related_name='+', to='leaderboard.race')),
            ],
            options={
                'indexes': [models.Index(fields=['race', 'changed_at'], name='progress_by_change'), models.Index(condition=models.Q(('state', 'playing')), fields=['race', 'entry'], include=('ends_at',), name='who_is_playing')],
            },
        ),
        migrations.RunSQL(FILL, migrations.RunSQL.noop),
    ]
