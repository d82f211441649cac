"""Named boards: which measures, which one ranks, over which test sets."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from leaderboard.organize.bundle import announce_ranking
from leaderboard.organize.fields import MeasureSelect, MeasuresField, MeasuresWidget
from leaderboard.organize.parts import PartForm, PartsPage
from leaderboard.organize.scorer import MeasuresForm
from leaderboard.tasks.models import NamedBoard, Task


class BoardForm(MeasuresForm, PartForm):
    name_is_taken = gettext_lazy("There is a board of that name.")
    list_is_full = gettext_lazy("A task has at most 12 boards beside the main one.")

    class Meta:
        model = NamedBoard
        fields = ("title", "name", "measures", "headline", "test_sets")
        field_classes = {"measures": MeasuresField}
        widgets = {
            "measures": MeasuresWidget,
            "headline": MeasureSelect,
        }

    def __init__(self, task: Task, *data: Any, name: str = "") -> None:
        super().__init__(task, *data, name=name)
        self.scorer = task.scorer
        test_sets = NamedBoard._meta.get_field("test_sets")
        self.fields["test_sets"] = forms.MultipleChoiceField(
            required=False,
            label=test_sets.verbose_name,
            help_text=test_sets.help_text,
            widget=forms.CheckboxSelectMultiple,
            choices=list(task.test_sets.values_list("name", "title")),
        )
        if self.adds:
            self.initial["headline"] = task.headline
        self.offer_measures()


class BoardsPage(PartsPage):
    form_class = BoardForm
    address = "boards"
    names = ("organize-boards", "organize-board", "organize-board-change")
    title = gettext_lazy("Boards")
    lead = gettext_lazy(
        "Beside the main board: other measures, another one that ranks, or some of "
        "the test sets only. Each is a tab above the board, with ranks and intervals "
        "of its own."
    )
    all_parts = gettext_lazy("All boards")
    add = gettext_lazy("Add a board")
    saved = gettext_lazy("The board was added.")
    table_title = gettext_lazy("Boards")
    columns = (
        ("", gettext_lazy("Board")),
        ("", gettext_lazy("Name")),
        ("", gettext_lazy("Ranks by")),
        ("", gettext_lazy("Measures")),
        ("", gettext_lazy("Test sets")),
    )
    line = "organize/_board_line.html"
    style = "phases.css"

    def save(self, form: BoardForm) -> None:
        board = NamedBoard.objects.filter(task=self.task, name=self.name).first()
        super().save(form)
        if board:
            new, by = form.instance, self.request.user
            announce_ranking(self.task, board.headline, new.headline, by, new.title)

    def parts(self) -> list[NamedBoard]:
        titles = dict(self.task.test_sets.values_list("name", "title"))
        boards = super().parts()
        for board in boards:
            board.titles = [titles[name] for name in board.test_sets if name in titles]
        return boards
