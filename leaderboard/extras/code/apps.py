"""The extra that runs code of teams on hidden input."""

from django.utils.translation import gettext_lazy as _

from leaderboard.extension.points import (
    BundleKey,
    CodeStep,
    DemoPart,
    Extra,
    OrganizerTab,
    PagePart,
    TaskFiles,
)


class RunsCode(Extra):
    name = "leaderboard.extras.code"
    label = "code"
    urls = "leaderboard.extras.code.urls"
    points = (
        CodeStep(f"{name}.kind.CODE", f"{name}.rules.refusal_of"),
        DemoPart(f"{name}.demo.load"),
        OrganizerTab(
            "scoring",
            _("Code of teams"),
            "organize-code",
            "EDIT",
            is_there=f"{name}.pages.is_sent_to",
        ),
        PagePart("code/_log.html", make=f"{name}.runs.logs_shown", place="submission"),
        BundleKey(
            "code_rules",
            f"{name}.rules.CodeRulePlan",
            f"{name}.rules.plans_of",
            f"{name}.rules.write",
            f"{name}.rules.blockers",
        ),
        BundleKey(
            "hidden_inputs",
            f"{name}.inputs.HiddenInputPlan",
            f"{name}.inputs.plans_of",
            f"{name}.inputs.write",
            f"{name}.rules.blockers",
        ),
        TaskFiles("code.HiddenInput", "test_set__task"),
        TaskFiles("code.CodeRun", "evaluation__submission__phase__task", "output_size"),
    )

    def ready(self) -> None:
        from leaderboard.extension import events
        from leaderboard.extras.code.models import WATCHED

        super().ready()
        events.watch("code", WATCHED)
