"""A busy machine makes a property slow, not wrong: none fails by the clock."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "busy", deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("busy")
