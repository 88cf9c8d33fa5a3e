from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0005_difficulty_in_whole_numbers'),
    ]

    operations = [
        migrations.AddField(
            model_name='player',
            name='guest',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
