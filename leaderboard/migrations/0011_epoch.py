
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0010_clubs_and_follows'),
    ]

    operations = [
        migrations.CreateModel(
            name='Epoch',
            fields=[
                ('id', models.SmallIntegerField(primary_key=True, serialize=False)),
                ('number', models.BigIntegerField()),
            ],
        ),
    ]
