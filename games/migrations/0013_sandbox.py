
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0012_tokens_for_apps'),
    ]

    operations = [
        migrations.AddField(
            model_name='attempt',
            name='sandbox',
            field=models.BooleanField(db_default=False),
        ),
    ]
