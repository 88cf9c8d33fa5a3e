
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0009_counters'),
    ]

    operations = [
        migrations.AddField(
            model_name='player',
            name='renamed_at',
            field=models.DateTimeField(null=True),
        ),
        migrations.CreateModel(
            name='OldName',
            fields=[
                ('name_key', models.CharField(max_length=200, primary_key=True, serialize=False)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='old_names', to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
