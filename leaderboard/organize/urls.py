"""Addresses below /tasks/<slug>/organize/."""

from django.urls import URLPattern, path

from leaderboard.organize import (
    baselines,
    boards,
    bundle,
    dashboard,
    extensions,
    fact_sheet,
    final_results,
    gold,
    messages,
    next_edition,
    organizers,
    people,
    phases,
    scorer,
    setup_check,
    task,
    test_sets,
)
from leaderboard.organize.forms import FormPage


def page(address: str, view: type[FormPage], name: str) -> URLPattern:
    return path(address, view.as_view(), name=name)


urlpatterns: list[URLPattern] = [
    path("", dashboard.dashboard, name="organize"),
    page("edit/", task.TextsPage, "organize-edit"),
    page("about/", task.AboutPage, "organize-about"),
    page("scoring/", scorer.ScoringPage, "organize-scoring"),
    page("test-sets/", test_sets.TestSetsPage, "organize-test-sets"),
    page("test-sets/<slug:name>/", test_sets.TestSetPage, "organize-test-set"),
    path(
        "test-sets/<slug:name>/remove/",
        test_sets.remove,
        name="organize-test-set-remove",
    ),
    page("baselines/", baselines.BaselinesPage, "organize-baselines"),
    path(
        "baselines/<uuid:pk>/remove/",
        baselines.remove,
        name="organize-baseline-remove",
    ),
    path("check/", setup_check.check, name="organize-check"),
    path("publish/", setup_check.publish, name="organize-publish"),
    page("delete/", task.DeletePage, "organize-delete"),
    page("bundle/", bundle.BundlePage, "organize-bundle"),
    page("bundle/next/", next_edition.NextEditionPage, "organize-next-edition"),
    path("bundle/download/", bundle.download, name="organize-bundle-download"),
    path("gold/", gold.revisions, name="organize-gold"),
    page("gold/new/", gold.NewGoldPage, "organize-gold-new"),
    page("gold/<int:number>/", gold.RevisionPage, "organize-gold-revision"),
    path("gold/<int:number>/preview/", gold.preview, name="organize-gold-preview"),
    page("gold/<int:number>/live/", gold.LivePage, "organize-gold-live"),
    path("gold/<int:number>/discard/", gold.discard, name="organize-gold-discard"),
    path("gold/<int:number>/prepare/", gold.prepare, name="organize-gold-prepare"),
    path("gold/<int:number>/retry/", gold.retry, name="organize-gold-retry"),
    path(
        "gold/<int:number>/files/<slug:name>/",
        gold.gold_file,
        name="organize-gold-file",
    ),
    path("phases/", phases.listing, name="organize-phases"),
    page("phases/new/", phases.NewPhasePage, "organize-phase-new"),
    page("phases/<slug:phase>/edit/", phases.PhasePage, "organize-phase"),
    page("phases/<slug:phase>/deadline/", phases.DeadlinePage, "organize-deadline"),
    page(
        "phases/<slug:phase>/extensions/",
        extensions.ExtensionsPage,
        "organize-extensions",
    ),
    path("phases/<slug:phase>/admit/", phases.admit, name="organize-admit"),
    path("phases/<slug:phase>/pause/", phases.pause, name="organize-pause"),
    path("phases/<slug:phase>/move/", phases.move, name="organize-phase-move"),
    page(
        "phases/<slug:phase>/delete/", phases.DeletePhasePage, "organize-phase-delete"
    ),
    *fact_sheet.FactSheetPage.routes(),
    *fact_sheet.RegistrationPage.routes(),
    *boards.BoardsPage.routes(),
    page("ranking/", final_results.RankingPage, "organize-ranking"),
    page("ranking/<slug:phase>/", final_results.DeclarePage, "organize-declare"),
    page(
        "ranking/<slug:phase>/snapshot/",
        final_results.FreezePage,
        "organize-snapshot",
    ),
    page("news/", messages.NewsPage, "organize-news"),
    path("people/", people.teams, name="organize-people"),
    path("people/teams.csv", people.teams_csv, name="organize-people-csv"),
    path("people/admit/", people.admit_all, name="organize-admit-all"),
    page("people/rules/", people.RulesPage, "organize-people-rules"),
    page("people/<int:pk>/", people.TeamPage, "organize-team"),
    page("people/<int:pk>/decide/", people.DecidePage, "organize-decide"),
    page("people/<int:pk>/rank/", people.LetRankPage, "organize-let-rank"),
    page(
        "people/<int:pk>/submissions/<uuid:submission>/",
        people.DecideSubmissionPage,
        "organize-decide-submission",
    ),
    page("organizers/", organizers.OrganizersPage, "organize-organizers"),
    path("organizers/<int:pk>/", organizers.change, name="organize-role"),
    path(
        "organizers/invitations/<int:pk>/",
        organizers.revoke,
        name="organize-uninvite",
    ),
    path("messages/", messages.listing, name="organize-messages"),
    page("messages/new/", messages.MessagePage, "organize-message"),
]
