"""What `manage.py check --deploy` says of this machine, beside Django's own checks."""

from typing import Any

from django.core.checks import CheckMessage, Tags, Warning, register

from leaderboard.confinement import kernel


@register(Tags.security, deploy=True)
def confinement(app_configs: Any, **options: Any) -> list[CheckMessage]:
    """Files of strangers are read in a child that the kernel holds."""
    if kernel.can_forbid():
        return []
    return [
        Warning(
            "This kernel cannot forbid connections and programs to the processes that "
            "read uploads.",
            hint="Use Linux on x86_64 or aarch64, with seccomp; in a container, let "
            "its profile permit prctl.",
            id="plumbline.W001",
        )
    ]
