"""The Python client of Agent Run Service."""

from . import params, resources, types, webhooks
from ._answer import RawResponse
from ._async_streams import AsyncRunStream, AsyncStream
from ._generated.version import VERSION as __version__
from ._operation import OMIT, Omit
from ._pages import AsyncPage, AsyncPages, Page
from ._streams import RunStream, Stream
from .client import AgentRunService, AsyncAgentRunService
from .errors import (
    AgentRunServiceError,
    ApiConnectionError,
    ApiError,
    ApiTimeoutError,
    AuthenticationError,
    InvalidRequestError,
    NotFoundError,
    PermissionDeniedError,
    RateLimitError,
)
from .webhooks import WebhookVerificationError

__all__ = [
    "OMIT",
    "AgentRunService",
    "AgentRunServiceError",
    "ApiConnectionError",
    "ApiError",
    "ApiTimeoutError",
    "AsyncAgentRunService",
    "AsyncPage",
    "AsyncPages",
    "AsyncRunStream",
    "AsyncStream",
    "AuthenticationError",
    "InvalidRequestError",
    "NotFoundError",
    "Omit",
    "Page",
    "PermissionDeniedError",
    "RateLimitError",
    "RawResponse",
    "RunStream",
    "Stream",
    "WebhookVerificationError",
    "__version__",
    "params",
    "resources",
    "types",
    "webhooks",
]
