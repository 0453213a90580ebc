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
    """Standard Webhooks: base64 over id, time and body, so that what is old is refused."""
    event_id, timestamp = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    signature = hmac.digest(standard_key(secret), f"{event_id}.{timestamp}.".encode() + body, "sha256")
    return any(is_equal(given, "v1," + base64.b64encode(signature).decode()) for given in signatures_of(headers))


def signatures_of(headers):
    """Two of them stand there while a secret is replaced. Then the plain signature is still that of the old secret."""
    return headers.get("webhook-signature", "").split(" ")


def standard_key(secret):
    """What follows whsec_ is the key in base64. A secret of your own that is no base64 of 24 to 64 bytes is itself the key."""
    encoded = re.sub("^whsec_", "", secret)
    is_base64 = re.fullmatch("([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", encoded)
    key = base64.b64decode(encoded) if is_base64 else b""
    return key if 24 <= len(key) <= 64 else secret.encode()


def is_equal(given, wanted):
    # `==` stops at the first character that differs, and its time tells an attacker how far a guess was right.
    return hmac.compare_digest(given.encode(), wanted.encode())


seen = {}  # An event can come more than once. Keep its id where you keep what you did about it; here the last 10,000 in memory.


def handle(event):
    """Your work. Answer within 10 s: what takes longer belongs into a queue."""
    print(event["type"], event["id"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        # The bytes as they came: signatures are checked before anything parses them.
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
    if "TLS_CERT" in os.environ:  # Without a certificate, a proxy in front must speak HTTPS.
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(os.environ["TLS_CERT"], os.environ["TLS_KEY"])
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    print("listening on", server.server_port, flush=True)
    server.serve_forever()
