"""Addresses below /tasks/<slug>/organize/."""

from django.urls import URLPattern, path

from leaderboard.organize import bundle_views as bundles
from leaderboard.organize import editing_views as editing
from leaderboard.organize import gold_views as gold
from leaderboard.organize import history_views as history
from leaderboard.organize import letters_views as letters
from leaderboard.organize import merging_views as merging
from leaderboard.organize import news_views, ranking_views
from leaderboard.organize import organizers_views as organizers
from leaderboard.organize import people_views as people
from leaderboard.organize import phase_views as phases
from leaderboard.organize import probe_views as probes
from leaderboard.organize import setup_views as setup
from leaderboard.organize import sheet_views as sheets
from leaderboard.organize import views as start

urlpatterns: list[URLPattern] = [
    path("", start.start, name="organize"),
    path("edit/", editing.texts, name="organize-edit"),
    path("scoring/", editing.scoring, name="organize-scoring"),
    path("test-sets/", editing.listing, name="organize-test-sets"),
    path("test-sets/<slug:name>/", editing.one, name="organize-test-set"),
    path(
        "test-sets/<slug:name>/remove/",
        editing.remove,
        name="organize-test-set-remove",
    ),
    path("baselines/", setup.baseline_list, name="organize-baselines"),
    path(
        "baselines/<uuid:pk>/remove/",
        setup.remove_baseline,
        name="organize-baseline-remove",
    ),
    path("check/", setup.check, name="organize-check"),
    path("publish/", setup.publish, name="organize-publish"),
    path("delete/", setup.delete, name="organize-delete"),
    path("bundle/", bundles.changed, name="organize-bundle"),
    path("bundle/download/", bundles.download, name="organize-bundle-download"),
    path("gold/", gold.revisions, name="organize-gold"),
    path("gold/new/", gold.new, name="organize-gold-new"),
    path("gold/<int:number>/", gold.revision, name="organize-gold-revision"),
    path("gold/<int:number>/preview/", gold.preview, name="organize-gold-preview"),
    path("gold/<int:number>/live/", gold.live, name="organize-gold-live"),
    path("gold/<int:number>/discard/", gold.discard, name="organize-gold-discard"),
    path("gold/<int:number>/prepare/", gold.prepare, name="organize-gold-prepare"),
    path("gold/<int:number>/retry/", gold.retry, name="organize-gold-retry"),
    path(
        "gold/<int:number>/files/<slug:name>/",
        gold.gold_file,
        name="organize-gold-file",
    ),
    path("phases/", phases.listing, name="organize-phases"),
    path("phases/new/", phases.new, name="organize-phase-new"),
    path("phases/<slug:phase>/edit/", phases.edit, name="organize-phase"),
    path("phases/<slug:phase>/deadline/", phases.deadline, name="organize-deadline"),
    path("phases/<slug:phase>/admit/", phases.admit, name="organize-admit"),
    path("phases/<slug:phase>/pause/", phases.pause, name="organize-pause"),
    path("phases/<slug:phase>/move/", phases.move, name="organize-phase-move"),
    path("phases/<slug:phase>/delete/", phases.delete, name="organize-phase-delete"),
    path("fact-sheet/", sheets.fact_sheet, name="organize-fact-sheet"),
    path("fact-sheet/<slug:name>/", sheets.question, name="organize-question"),
    path(
        "fact-sheet/<slug:name>/change/",
        sheets.change_question,
        name="organize-question-change",
    ),
    path("boards/", sheets.boards, name="organize-boards"),
    path("boards/<slug:name>/", sheets.board, name="organize-board"),
    path(
        "boards/<slug:name>/change/",
        sheets.change_board,
        name="organize-board-change",
    ),
    path("ranking/", ranking_views.ranking, name="organize-ranking"),
    path("ranking/<slug:phase>/", ranking_views.declare, name="organize-declare"),
    path(
        "ranking/<slug:phase>/snapshot/",
        ranking_views.freeze,
        name="organize-snapshot",
    ),
    path("news/", news_views.news, name="organize-news"),
    path("people/", people.teams, name="organize-people"),
    path("people/admit/", people.admit_all, name="organize-admit-all"),
    path("people/rules/", people.rules, name="organize-people-rules"),
    path("people/merge/", merging.merge, name="organize-merge"),
    path("people/<int:pk>/", people.team, name="organize-team"),
    path("people/<int:pk>/decide/", people.decide, name="organize-decide"),
    path("people/<int:pk>/rank/", people.let_rank, name="organize-let-rank"),
    path(
        "people/<int:pk>/submissions/<uuid:submission>/",
        people.decide_submission,
        name="organize-decide-submission",
    ),
    path("organizers/", organizers.organizers, name="organize-organizers"),
    path("organizers/<int:pk>/", organizers.change, name="organize-role"),
    path(
        "organizers/invitations/<int:pk>/",
        organizers.revoke,
        name="organize-uninvite",
    ),
    path("letters/", letters.listing, name="organize-letters"),
    path("letters/new/", letters.write, name="organize-letter"),
    path("history/", history.history, name="organize-history"),
    path("probes/", probes.report, name="organize-probes"),
]
