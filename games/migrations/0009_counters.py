from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0008_paused'),
    ]

    operations = [
        migrations.CreateModel(
            name='Counter',
            fields=[
                ('key', models.UUIDField(primary_key=True, serialize=False)),
                ('count', models.IntegerField()),
                ('ends_at', models.DateTimeField(db_index=True)),
            ],
        ),
        # counting must not wait for a disk, and losing the counts of a minute does no harm
        migrations.RunSQL("ALTER TABLE games_counter SET UNLOGGED", migrations.RunSQL.noop),
    ]
