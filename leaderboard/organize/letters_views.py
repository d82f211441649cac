"""Pages of letters: what was sent and how it arrived, and writing one."""

from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.db.models import Count, Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.organize import jobs, letters
from leaderboard.organize.mail import subject_of, text_of
from leaderboard.tasks.access import organized_task_or_404
from leaderboard.tasks.models import Letter, Participation, Task
from leaderboard.tasks.policy import Power

PER_PAGE = 30


class LetterForm(forms.ModelForm):
    audience = forms.ChoiceField(label=gettext_lazy("To"))

    class Meta:
        model = Letter
        fields = ("audience", "subject", "text", "important")
        labels = {
            "subject": gettext_lazy("Subject"),
            "text": gettext_lazy("Text"),
            "important": gettext_lazy("Important: also to those who switched them off"),
        }
        help_texts = {
            "text": gettext_lazy("Plain text; links are written out."),
            "important": gettext_lazy("For what nobody may miss, as a new deadline."),
        }
        widgets = {"text": forms.Textarea(attrs={"rows": 12})}

    def __init__(self, task: Task, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        statuses = (
            one
            for one in Participation.Status.choices
            if one[0] != Participation.Status.MERGED
        )
        everybody = (letters.ALL, letters.audience_in_words(letters.ALL))
        field: Any = self.fields["audience"]
        field.choices = [everybody, *statuses]
        self.instance.task = task

    def clean_subject(self) -> str:
        subject: str = self.cleaned_data["subject"]
        if not subject.isprintable():
            raise forms.ValidationError(_("A subject is one line of plain text."))
        return " ".join(subject.split())


@require_safe
def listing(request: HttpRequest, slug: str) -> HttpResponse:
    task = organized_task_or_404(request, slug, Power.PEOPLE)
    given_up = Q(deliveries__sent_at=None, deliveries__tried__gte=letters.MOST_TRIES)
    found = (
        task.letters.order_by("-at", "-pk")
        .select_related("by")
        .annotate(
            n=Count("deliveries"),
            n_sent=Count("deliveries", filter=Q(deliveries__sent_at__isnull=False)),
            n_failed=Count("deliveries", filter=given_up),
        )
    )
    page = Paginator(found, PER_PAGE).get_page(request.GET.get("page"))
    rows = [(one, letters.audience_in_words(one.audience)) for one in page]
    context = {"task": task, "page": page, "rows": rows}
    return render(request, "organize/letters.html", context)


@require_http_methods(["GET", "HEAD", "POST"])
def write(request: HttpRequest, slug: str) -> HttpResponse:
    """A form, then what a reader will get, then off it goes."""
    task = organized_task_or_404(request, slug, Power.PEOPLE)
    form = LetterForm(task, request.POST or None)
    preview = None
    if request.method == "POST" and form.is_valid():
        form.instance.by = request.user
        if "send" in request.POST and _sent(request, form):
            return redirect("organize-letters", slug)
        preview = None if form.errors or "back" in request.POST else _shown(form)
    context = {"task": task, "form": form, "preview": preview}
    status = 422 if form.errors else 200
    return render(request, "organize/letter.html", context, status=status)


def _shown(form: LetterForm) -> dict[str, Any]:
    """The mail as a reader will see it; the link to stop letters is the writer's."""
    letter: Letter = form.instance
    everybody = letters.readers(letter.task, letter.audience).count()
    wanting = letters.wanting(letter).count()
    return {
        "subject": subject_of(letter.task, letter.subject),
        "text": text_of(letter, letter.by),
        "reply_to": letter.by.email,
        "readers": wanting,
        "unwilling": everybody - wanting,
        "to": letters.audience_in_words(letter.audience),
    }


def _sent(request: HttpRequest, form: LetterForm) -> bool:
    if not letters.wanting(form.instance).exists():
        form.add_error("audience", _("There is nobody to write to."))
        return False
    try:
        letter = letters.write(form.instance, jobs.tell)
    except letters.SentAlready:
        words = _("This very letter was sent a moment ago; nothing was sent twice.")
        messages.info(request, words)
        return True
    n = letter.deliveries.count()
    words = ngettext("On its way to %(n)s person.", "On its way to %(n)s people.", n)
    messages.success(request, words % {"n": n})
    return True
