"""A page on which a person approves what an agent asks. The API key stays on the server. Open http://localhost:8080."""

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from agent_run_service import AgentRunService

client = AgentRunService()
agent_id = os.environ["AGENT_ID"]
page = Path(__file__).with_name("page.html").read_bytes()


class Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.respond(page)

    def do_POST(self) -> None:
        run = client.runs.create_and_wait(agent_id=agent_id, input={"message": "Pay 20 euros?"})
        token = client.session_tokens.create(scopes=["runs:read", "runs:approve"], run_id=run.id).token
        actions = [action.to_dict() for action in run.required_actions]
        url = f"{client.base_url}/runs/{run.id}"
        self.respond(json.dumps({"url": url, "token": token, "actions": actions}).encode())

    def respond(self, body: bytes) -> None:
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)


ThreadingHTTPServer(("localhost", int(os.environ.get("PORT", "8080"))), Handler).serve_forever()
