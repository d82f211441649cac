"""Keys of teams follow the skeleton that knows letters which look alike.

Of older teams that would share a key now, the first has it and all keep their names.
"""

from typing import Any

from django.db import migrations

from leaderboard.teams.names import name_key


def renew(apps: Any, _editor: Any) -> None:
    team_model = apps.get_model("teams", "Team")
    teams = list(team_model.objects.order_by("created_at", "pk"))
    for team in teams:
        team.key = f"#{team.pk}"  # no key of a name has such a sign
    team_model.objects.bulk_update(teams, ["key"], batch_size=500)
    taken = set()
    changed = []
    for team in teams:
        key = name_key(team.name)
        if key and key not in taken:
            taken.add(key)
            team.key = key
            changed.append(team)
    team_model.objects.bulk_update(changed, ["key"], batch_size=500)


class Migration(migrations.Migration):
    dependencies = [("teams", "0004_invitations")]
    operations = [migrations.RunPython(renew, migrations.RunPython.noop)]
