from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0006_told_from'),
    ]

    operations = [
        migrations.AddField(
            model_name='player',
            name='guest',
            field=models.BooleanField(db_default=False, default=False),
        ),
    ]
