"""A server that answers as a test says, over real HTTP."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Answer = tuple[int, dict[str, str], Any]


@dataclass
class Service:
    base_url: str = ""
    seen: list[tuple[str, str, dict[str, str], str]] = field(default_factory=list)


@contextmanager
def service(answer: Callable[[str, int], Answer]) -> Iterator[Service]:
    """`answer` gets the path and the number of the request, and returns status, headers and body."""
    running = Service()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0))).decode()
            headers = {name.lower(): value for name, value in self.headers.items()}
            running.seen.append((self.command, self.path, headers, body))
            status, more, value = answer(self.path, len(running.seen))
            text = (value if isinstance(value, str) else json.dumps(value)).encode()
            self.send_response(status)
            for name, each in {"content-length": str(len(text)), **more}.items():
                self.send_header(name, each)
            self.end_headers()
            self.wfile.write(text)

        do_POST = do_PATCH = do_PUT = do_DELETE = do_GET

        def log_message(self, format: str, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    running.base_url = f"http://127.0.0.1:{server.server_port}/v2"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield running
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
