"""A page that shows an answer while it is produced. The API key stays on the server. Open http://localhost:8080."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from agent_run_service import AgentRunService

client = AgentRunService()
agent_id = os.environ["AGENT_ID"]
page = Path(__file__).with_name("page.html").read_bytes()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        url = urlsplit(self.path)
        is_question = url.path == "/ask"
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if is_question else "text/html")
        self.end_headers()
        if not is_question:
            self.wfile.write(page)
            return
        query = parse_qs(url.query)["query"][0]
        # When the reader leaves, the write fails, and the stream is closed.
        with client.runs.stream(agent_id=agent_id, input={"query": query}) as stream:
            for frame in stream:
                self.wfile.write(f"data: {json.dumps(frame.to_dict())}\n\n".encode())


ThreadingHTTPServer(("localhost", int(os.environ.get("PORT", "8080"))), Handler).serve_forever()
