"""Receives webhooks. Register its public HTTPS address with `ars webhooks create`, and pass the secret it prints."""

import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from agent_run_service import types, webhooks


def received(event: types.Event) -> None:
    if event.type == "run.completed":
        print("completed", event.data.id, event.data.output_text, flush=True)
    elif event.type == "run.failed":
        print("failed", event.data.id, event.data.error and event.data.error.code, flush=True)
    else:
        print(event.type, event.id, flush=True)


receive = webhooks.handler(received, secret=os.environ["WEBHOOK_SECRET"])


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(receive(body, self.headers))
        self.end_headers()


ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Handler).serve_forever()
