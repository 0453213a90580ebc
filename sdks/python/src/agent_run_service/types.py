"""The types of answers. Each accepts fields and values that this version does not know."""

from ._generated import models
from ._generated.models import *  # noqa: F403

__all__: list[str] = []
__all__ += models.__all__
