"""The types of answers. Each accepts fields and values that this version does not know."""

from ._generated.models import *  # noqa: F403
