"""The checks of this machine that `manage.py check --deploy` makes beside Django's."""

from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register

from leaderboard.sandbox import kernel

HINTS = {
    "seccomp": "Use Linux on x86_64 or aarch64, with seccomp; in a container, let its "
    "profile permit prctl.",
    "landlock": "Use Linux 5.13 or later with landlock among the names in "
    "/sys/kernel/security/lsm (boot parameter lsm=); in a container, let its profile "
    "permit the three calls that begin with landlock_.",
}
IDS = {"seccomp": "plumbline.W001", "landlock": "plumbline.W002"}


@register(Tags.security, deploy=True)
def sandbox(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """One warning for each part of the sandbox that this kernel lacks."""
    return [
        Warning(
            f"This kernel has no {part}: if a file took over one of the processes that "
            f"read uploads, {consequence}.",
            hint=HINTS[part],
            id=IDS[part],
        )
        for part, consequence in kernel.missing().items()
    ]
