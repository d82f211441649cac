"""The administration answers whatever keys an action is sent with."""

import pytest
from django.contrib import admin
from django.contrib.admin import ModelAdmin
from django.test import Client, RequestFactory
from django.urls import reverse

from leaderboard.teams.models import User

ADMINS = [*admin.site._registry.values()]


@pytest.mark.django_db
@pytest.mark.parametrize("owner", ADMINS, ids=lambda owner: owner.model.__name__)
def test_an_action_on_rows_that_cannot_be_ends_in_no_error(
    owner: "ModelAdmin", admin_client: Client
) -> None:
    about = owner.model._meta
    address = reverse(f"admin:{about.app_label}_{about.model_name}_changelist")
    request = RequestFactory().get(address)
    request.user = User.objects.get(is_superuser=True)
    for action in owner.get_actions(request):
        for key in ("change", "9" * 30, "-x", "\0"):
            chosen = {"action": action, "_selected_action": key}
            answer = admin_client.post(address, chosen)
            assert answer.status_code == 404, (action, key)
    assert admin_client.get(address).status_code == 200
