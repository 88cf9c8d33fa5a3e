
import django.contrib.postgres.fields
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0011_deleted_and_banned'),
        ('knox', '0009_extend_authtoken_field'),
    ]

    operations = [
        migrations.CreateModel(
            name='ApiToken',
            fields=[
                ('token', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='given', serialize=False, to=settings.KNOX_TOKEN_MODEL)),
                ('name', models.CharField(max_length=40)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=8), size=None)),
            ],
        ),
        migrations.CreateModel(
            name='DeviceGrant',
            fields=[
                ('digest', models.BinaryField(max_length=32, primary_key=True, serialize=False)),
                ('user_code', models.CharField(max_length=8, unique=True)),
                ('name', models.CharField(max_length=40)),
                ('scopes', django.contrib.postgres.fields.ArrayField(base_field=models.CharField(max_length=8), size=None)),
                ('ends_at', models.DateTimeField()),
                ('asked_at', models.DateTimeField(null=True)),
                ('refused', models.BooleanField(default=False)),
                ('player', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
            ],
        ),
    ]
