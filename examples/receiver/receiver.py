# Receives webhooks of Agent Run Service. Python 3.9, no packages: WEBHOOK_SECRET=whsec_… python3 receiver.py
import base64
import hmac
import json
import os
import re
import ssl
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE_SECONDS = 300


def plain_fits(secret, headers, body):
    """X-SERVICE-Signature: hex over the bytes of the body. The key is the whole secret, as text."""
    return is_equal(headers.get("x-service-signature", ""), hmac.digest(secret.encode(), body, "sha256").hex())


def standard_fits(secret, headers, body, now):
    """Standard Webhooks: base64 over id, time and body, so that old deliveries are rejected."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signature = hmac.digest(standard_key(secret), f"{event_id}.{timestamp}.".encode() + body, "sha256")
    return any(is_equal(given, "v1," + base64.b64encode(signature).decode()) for given in signatures_of(headers))


def signatures_of(headers):
    """During a rotation there are two signatures, and the plain signature still uses the old secret."""
    return headers.get("webhook-signature", "").split(" ")


def standard_key(secret):
    """The key is the base64 after whsec_. If that is not base64 of 24 to 64 bytes, the whole secret is the key."""
    encoded = re.sub("^whsec_", "", secret)
    is_base64 = re.fullmatch("([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", encoded)
    key = base64.b64decode(encoded) if is_base64 else b""
    return key if 24 <= len(key) <= 64 else secret.encode()


def is_equal(given, wanted):
    # `==` stops at the first difference, so its duration reveals how much of a guess is correct.
    return hmac.compare_digest(given.encode(), wanted.encode())


seen = {}  # An event can be delivered more than once. Store its id together with your work; this example keeps 10,000 ids in memory.


def handle(event):
    """Your work. Respond within 10 s; put longer work into a queue."""
    print(event["type"], event["id"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        # Verify the raw bytes, before any parsing.
        length = self.headers.get("content-length", "")
        body = self.rfile.read(int(length)) if re.fullmatch("[0-9]{1,8}", length) else b""
        secret = os.environ["WEBHOOK_SECRET"]
        genuine = standard_fits(secret, self.headers, body, time.time()) and (
            len(signatures_of(self.headers)) > 1 or plain_fits(secret, self.headers, body)
        )
        if genuine:
            event = json.loads(body)
            if seen.setdefault(event["id"], self.headers) is self.headers:
                handle(event)
            if len(seen) > 10_000:
                seen.pop(next(iter(seen)))
        self.send_response(204 if genuine else 401)
        self.send_header("Content-Length", "0")
        self.end_headers()


if __name__ == "__main__":
    server = ThreadingHTTPServer(("", int(os.environ.get("PORT", "8080"))), Receiver)
    if "TLS_CERT" in os.environ:  # Without a certificate, run it behind a proxy that terminates TLS.
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print("listening on", server.server_port, flush=True)
    server.serve_forever()
