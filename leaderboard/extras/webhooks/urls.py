"""Pages and API addresses of webhooks."""

from django.urls import path

from leaderboard.extras.webhooks import endpoints, views

urlpatterns = [
    path("accounts/webhooks/", views.listing, name="webhooks"),
    path("accounts/webhooks/<int:key>/", views.one, name="webhook"),
    path("accounts/webhooks/<int:key>/change/", views.change, name="webhook-change"),
    path("api/v1/webhooks/", endpoints.WebhooksView.as_view(), name="api-webhooks"),
    path(
        "api/v1/webhooks/<int:key>/",
        endpoints.OneWebhookView.as_view(),
        name="api-webhook",
    ),
    path(
        "api/v1/webhooks/<int:key>/deliveries/",
        endpoints.WebhookDeliveriesView.as_view(),
        name="api-webhook-deliveries",
    ),
]
