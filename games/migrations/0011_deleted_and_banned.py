
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0010_old_names'),
    ]

    operations = [
        migrations.AddField(
            model_name='attempt',
            name='voided_because',
            field=models.CharField(blank=True, db_default='', default='', max_length=16),
        ),
        migrations.AddField(
            model_name='player',
            name='deleted_at',
            field=models.DateTimeField(null=True),
        ),
    ]
