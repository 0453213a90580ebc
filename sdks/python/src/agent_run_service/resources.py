"""The resources of the clients with their methods, one for each operation."""

from ._generated import async_resources, resources
from ._generated.async_resources import *  # noqa: F403
from ._generated.resources import *  # noqa: F403

__all__: list[str] = []
__all__ += resources.__all__
__all__ += async_resources.__all__
