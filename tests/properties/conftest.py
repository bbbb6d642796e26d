"""One hypothesis profile for all properties: no deadline (the machine may be busy)."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "hinter", deadline=None, suppress_health_check=[HealthCheck.too_slow], print_blob=True
)
settings.load_profile("hinter")
