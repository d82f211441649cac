"""Pages of judges, and of the organizers who let them judge."""

from django.urls import path

from leaderboard.extras.judging import campaign_pages, endpoints, views

ORGANIZE = "tasks/<slug:slug>/organize/judging/"
urlpatterns = [
    path("judging/<str:token>/", views.judge, name="judge"),
    path("judging/<str:token>/back/<uuid:key>/", views.come_back, name="judge-back"),
    path(
        "api/v1/judging/<str:token>/",
        endpoints.JudgingView.as_view(),
        name="api-judging",
    ),
    path(
        "api/v1/judging/<str:token>/votes/",
        endpoints.JudgingVotesView.as_view(),
        name="api-judging-votes",
    ),
    path(
        "api/v1/tasks/<slug:slug>/judging/",
        endpoints.CampaignsView.as_view(),
        name="api-campaigns",
    ),
    path(
        "api/v1/tasks/<slug:slug>/judging/<slug:name>/votes.<str:form>",
        endpoints.CampaignVotesView.as_view(),
        name="api-campaign-votes",
    ),
    path(ORGANIZE, campaign_pages.campaigns, name="organize-campaigns"),
    path(
        f"{ORGANIZE}new/",
        campaign_pages.NewCampaignPage.as_view(),
        name="organize-campaign-new",
    ),
    path(f"{ORGANIZE}<int:pk>/", campaign_pages.campaign, name="organize-campaign"),
    path(
        f"{ORGANIZE}<int:pk>/change/",
        campaign_pages.change,
        name="organize-campaign-change",
    ),
    path(
        f"{ORGANIZE}<int:pk>/judges/<int:number>/",
        campaign_pages.exclude,
        name="organize-campaign-judge",
    ),
    path(
        f"{ORGANIZE}<int:pk>/votes.<str:ending>",
        campaign_pages.votes,
        name="organize-campaign-votes",
    ),
]
