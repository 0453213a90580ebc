"""The types of parameters: typed dictionaries, and the values of enumerations."""

from ._generated.params import *  # noqa: F403
