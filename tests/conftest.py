"""Settings of all tests: hypothesis never fails a test for being slow on a busy machine."""

from hypothesis import settings

settings.register_profile("kubestow", deadline=None)
settings.load_profile("kubestow")
