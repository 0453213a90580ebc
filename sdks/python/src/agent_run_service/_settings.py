from __future__ import annotations

import os
import re
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit

from .errors import AgentRunServiceError

DEFAULT_BASE_URL = "https://localhost:8443/v2"
DEFAULT_TIMEOUT = 60.0
DEFAULT_MAX_RETRIES = 2


@dataclass(frozen=True, repr=False)
class Settings:
    """Printing the settings does not show the key."""

    api_key: str
    base_url: str
    timeout: float
    max_retries: int


def settings_of(api_key: str | None, base_url: str | None, timeout: float | None, max_retries: int | None) -> Settings:
    return Settings(
        api_key=_checked_key(api_key if api_key is not None else os.environ.get("ARS_API_KEY")),
        base_url=_checked_url(base_url or os.environ.get("ARS_BASE_URL") or DEFAULT_BASE_URL),
        timeout=DEFAULT_TIMEOUT if timeout is None else timeout,
        max_retries=DEFAULT_MAX_RETRIES if max_retries is None else max_retries,
    )


def _checked_key(key: str | None) -> str:
    if not key:
        raise AgentRunServiceError("The API key is missing. Pass `api_key` or set ARS_API_KEY.")
    # Checked here without quoting the key; the error of the HTTP library would contain it.
    if not re.fullmatch(r"[!-~]+", key):
        raise AgentRunServiceError("The API key contains an invalid character.")
    return key


def _checked_url(text: str) -> str:
    absolute = AgentRunServiceError("base_url must be an absolute URL, such as https://agents.example.com/v2.")
    try:
        url = urlsplit(text)
    except ValueError as error:
        raise absolute from error
    if not url.hostname:
        raise absolute
    is_local = url.hostname in ("localhost", "127.0.0.1", "::1")
    if url.scheme != "https" and not (url.scheme == "http" and is_local):
        raise AgentRunServiceError("base_url must begin with https://, because the key must not be sent unencrypted.")
    if url.username or url.password or url.query or url.fragment:
        raise AgentRunServiceError("base_url must not contain credentials, a query or a fragment.")
    return f"{url.scheme}://{url.netloc}{url.path.rstrip('/')}"


def tls_of(verify: ssl.SSLContext | None) -> ssl.SSLContext | bool:
    """The authorities of the system and, with `ARS_CA_FILE`, those of this file."""
    file = os.environ.get("ARS_CA_FILE")
    if verify is not None or not file:
        return verify or True
    context = ssl.create_default_context()
    context.load_verify_locations(file)
    return context
