
import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0011_deleted_and_banned'),
        ('leaderboard', '0011_epoch'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name='AddressKey',
            fields=[
                ('period', models.IntegerField(primary_key=True, serialize=False)),
                ('secret', models.BinaryField()),
            ],
        ),
        migrations.CreateModel(
            name='ShownTo',
            fields=[
                ('attempt', models.OneToOneField(on_delete=django.db.models.deletion.CASCADE, primary_key=True, related_name='shown_to', serialize=False, to='games.attempt')),
                ('now', models.UUIDField(db_index=True)),
                ('before', models.UUIDField(db_index=True)),
                ('shown_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
            ],
        ),
        migrations.CreateModel(
            name='Report',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('because', models.CharField(max_length=300)),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('outcome', models.CharField(blank=True, default='', max_length=10)),
                ('answer', models.CharField(blank=True, default='', max_length=300)),
                ('answered_at', models.DateTimeField(null=True)),
                ('attempt', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='reports', to='games.attempt')),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('reporter', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='reports', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'constraints': [models.UniqueConstraint(condition=models.Q(('outcome', '')), fields=('reporter', 'player', 'attempt'), name='one_open_report_about_a_thing', nulls_distinct=False)],
            },
        ),
        migrations.CreateModel(
            name='Ruling',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('what', models.CharField(max_length=8)),
                ('because', models.CharField(max_length=300)),
                ('made_at', models.DateTimeField(db_default=django.db.models.functions.datetime.Now())),
                ('until', models.DateTimeField(null=True)),
                ('attempt', models.ForeignKey(null=True, on_delete=django.db.models.deletion.CASCADE, related_name='rulings', to='games.attempt')),
                ('by', models.ForeignKey(null=True, on_delete=django.db.models.deletion.SET_NULL, related_name='+', to=settings.AUTH_USER_MODEL)),
                ('player', models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name='rulings', to=settings.AUTH_USER_MODEL)),
            ],
            options={
                'indexes': [models.Index(fields=['player', '-id'], name='rulings_of_a_player')],
            },
        ),
    ]
