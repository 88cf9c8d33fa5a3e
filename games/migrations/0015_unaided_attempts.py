from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("games", "0014_replays_again_after_a_void")]

    operations = [
        migrations.AddField(model_name="attempt", name="unaided", field=models.BooleanField(db_default=False)),
    ]
