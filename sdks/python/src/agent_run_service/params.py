"""The types of parameters: typed dictionaries, and the values of enumerations."""

from ._generated import params
from ._generated.params import *  # noqa: F403

__all__: list[str] = []
__all__ += params.__all__
