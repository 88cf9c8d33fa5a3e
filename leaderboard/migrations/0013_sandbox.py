
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('games', '0013_sandbox'),
        ('leaderboard', '0012_fair_play'),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name='race',
            name='a_daily_has_a_day',
        ),
        migrations.AddConstraint(
            model_name='race',
            constraint=models.CheckConstraint(condition=models.Q(models.Q(('day__isnull', False), ('kind', 'daily')), models.Q(('day', None), ('kind__in', ['open', 'sandbox'])), _connector='OR'), name='a_daily_has_a_day'),
        ),
        migrations.AddConstraint(
            model_name='race',
            constraint=models.UniqueConstraint(condition=models.Q(('kind', 'sandbox')), fields=('opens_at',), name='one_sandbox_at_a_time'),
        ),
    ]
