"""Writes webhook-signatures.json: what every SDK and every receiver must make of a delivery.

It shares no code with the service or with an SDK, so that a mistake of theirs cannot hide here. The same input gives the same
bytes: run it again after a change (`python3 sdks/conformance/make_vectors.py`), with `--check` to see whether the file is up to date.
"""

import base64
import hashlib
import hmac
import json
import pathlib
import re
import sys

FILE = pathlib.Path(__file__).with_name("webhook-signatures.json")
NOW = 1893456000  # 2030-01-01T00:00:00Z
TOLERANCE = 300
EVENT = "evt_01kxxhb1rcfx1bphzr5gdtt0yd"


def secret_of(size, seed):
    """A secret as the service makes them: `whsec_` and bytes in base64, here made from a seed."""
    stream = b"".join(hashlib.sha256(f"{seed}/{part}".encode()).digest() for part in range(4))
    return "whsec_" + base64.b64encode(stream[:size]).decode()


def standard_key(secret):
    encoded = secret.removeprefix("whsec_")
    if encoded != secret and re.fullmatch(r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", encoded):
        decoded = base64.b64decode(encoded)
        if 24 <= len(decoded) <= 64:
            return decoded
    return secret.encode()


def text_of(body):
    return body if isinstance(body, str) else body["before"] + body["repeat"] * body["times"] + body["after"]


def plain(secret, body):
    return hmac.new(secret.encode(), text_of(body).encode(), hashlib.sha256).hexdigest()


def standard(secret, event_id, timestamp, body):
    signed = f"{event_id}.{timestamp}.{text_of(body)}".encode()
    return "v1," + base64.b64encode(hmac.new(standard_key(secret), signed, hashlib.sha256).digest()).decode()


def signed(name, body, secrets=None, event_id=EVENT, timestamp=NOW):
    """`secrets`: the current one, and the old one while it still counts. The plain header stays on the old one."""
    secrets = secrets or [SECRET]
    return {
        "name": name,
        "secrets": secrets,
        "id": event_id,
        "timestamp": timestamp,
        "body": body,
        "x_service_signature": plain(secrets[-1], body),
        "webhook_signature": " ".join(standard(secret, event_id, timestamp, body) for secret in secrets),
    }


def received(name, delivery, *, plain, standard, body=None, secrets=None, now=NOW, without=(), headers=None):
    sent = {
        "x-service-signature": delivery["x_service_signature"],
        "webhook-id": delivery["id"],
        "webhook-timestamp": str(delivery["timestamp"]),
        "webhook-signature": delivery["webhook_signature"],
    }
    sent.update(headers or {})
    return {
        "name": name,
        "secrets": secrets or delivery["secrets"],
        "now": now,
        "headers": {key: value for key, value in sent.items() if key not in without},
        "body": delivery["body"] if body is None else body,
        "plain": plain,
        "standard": standard,
    }


SECRET = secret_of(32, "current")
OLD = secret_of(32, "old")
OTHER = secret_of(32, "other")

PLAIN_BODY = (
    f'{{"id":"{EVENT}","type":"run.completed","created_at":"2030-01-01T00:00:00.000Z",'
    '"data":{"id":"run_01kxxhb1rcfx1bphzr5gdtt0ye","status":"completed","output":{"result":"Hello"},"tokens_used":12}}'
)
# Programs agree on what these mean and not on how they are written: space, order, escapes, the end of a number.
TOUCHY_BODY = '{"b": 1.0, "a": "caf\\u00e9 <b>&</b>", "10": 1e3, "2": "\\/"}'
LARGE_BODY = {"before": '{"text":"', "repeat": "0123456789abcdef", "times": 65536, "after": '"}'}

PLAIN = signed("plain", PLAIN_BODY)
TOUCHY = signed("JSON that other programs would write differently", TOUCHY_BODY)
ROTATED = signed("rotated secret: both sign, the plain header stays on the old one", PLAIN_BODY, [SECRET, OLD])
OWN = signed("a secret that is no base64: its whole text is the key", PLAIN_BODY, ["whsec_correct-horse-battery-staple"])

SIGNING = [
    # The example that the specification of Standard Webhooks itself publishes.
    signed(
        "the example of the standard",
        '{"test": 2432232314}',
        ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"],
        "msg_p5jXN8AQM9LWM0D4loKWxJek",
        1614265330,
    ),
    PLAIN,
    signed("empty object", "{}"),
    signed("emoji and other scripts", '{"text":"\U0001f680 \U0001f468\u200d\U0001f469\u200d\U0001f467 caf\u00e9 cafe\u0301 \u6771\u4eac \u05e9\u05dc\u05d5\u05dd"}'),
    signed("U+2028 and U+2029 as they are", '{"text":"one\u2028two\u2029three"}'),
    signed("U+2028 as an escape", '{"text":"one\\u2028two"}'),
    signed("1 MB", LARGE_BODY),
    TOUCHY,
    ROTATED,
    OWN,
    signed("base64 without its padding is text", PLAIN_BODY, [SECRET.rstrip("=")]),
    signed("base64 of the other alphabet is text", PLAIN_BODY, ["whsec_" + "-_" * 21 + "-="]),
    signed("base64 of 23 bytes is text", PLAIN_BODY, [secret_of(23, "short")]),
    signed("base64 of 24 bytes", PLAIN_BODY, [secret_of(24, "least")]),
    signed("base64 of 64 bytes", PLAIN_BODY, [secret_of(64, "most")]),
    signed("base64 of 65 bytes is text", PLAIN_BODY, [secret_of(65, "long")]),
]

VERIFYING = [
    *(received(f"accepted: {one['name']}", one, now=one["timestamp"], plain=True, standard=True) for one in SIGNING),
    received("accepted: the receiver still has the old secret alone", ROTATED, secrets=[OLD], plain=True, standard=True),
    received("the receiver has the new secret alone: only the standard form holds", ROTATED, secrets=[SECRET], plain=False, standard=True),
    received("accepted: 5 minutes old", PLAIN, now=NOW + TOLERANCE, plain=True, standard=True),
    received("accepted: 5 minutes ahead", PLAIN, now=NOW - TOLERANCE, plain=True, standard=True),
    received("a signature of a later version beside ours is passed over", PLAIN, headers={"webhook-signature": f"v1a,AAAA {PLAIN['webhook_signature']}"}, plain=True, standard=True),
    received("too old: a replay after 6 minutes", PLAIN, now=NOW + 360, plain=True, standard=False),
    received("too old by a second", PLAIN, now=NOW + TOLERANCE + 1, plain=True, standard=False),
    received("too new by a second", PLAIN, now=NOW - TOLERANCE - 1, plain=True, standard=False),
    received("a replay with a fresh timestamp", PLAIN, now=NOW + 360, headers={"webhook-timestamp": str(NOW + 360)}, plain=True, standard=False),
    received("a replay under another id", PLAIN, headers={"webhook-id": "evt_01kxxhb1rcfx1bphzr5gdtt0zz"}, plain=True, standard=False),
    received("one byte of the body changed", PLAIN, body=PLAIN_BODY.replace("Hello", "Jello"), plain=False, standard=False),
    received("one byte of a large body changed", signed("large", LARGE_BODY), body={**LARGE_BODY, "after": '"} '}, plain=False, standard=False),
    received("a line break behind the body", PLAIN, body=PLAIN_BODY + "\n", plain=False, standard=False),
    received("JSON parsed and written again, compact", TOUCHY, body=json.dumps(json.loads(TOUCHY_BODY), separators=(",", ":"), ensure_ascii=False), plain=False, standard=False),
    received("JSON parsed and written again, with spaces", PLAIN, body=json.dumps(json.loads(PLAIN_BODY)), plain=False, standard=False),
    received("wrong secret", PLAIN, secrets=[OTHER], plain=False, standard=False),
    received("no X-SERVICE-Signature", PLAIN, without=["x-service-signature"], plain=False, standard=True),
    received("no webhook-id", PLAIN, without=["webhook-id"], plain=True, standard=False),
    received("no webhook-timestamp", PLAIN, without=["webhook-timestamp"], plain=True, standard=False),
    received("no webhook-signature", PLAIN, without=["webhook-signature"], plain=True, standard=False),
    received("no header at all", PLAIN, without=["x-service-signature", "webhook-id", "webhook-timestamp", "webhook-signature"], plain=False, standard=False),
    received("signatures that are empty", PLAIN, headers={"x-service-signature": "", "webhook-signature": ""}, plain=False, standard=False),
    received("signatures cut short", PLAIN, headers={"x-service-signature": PLAIN["x_service_signature"][:63], "webhook-signature": PLAIN["webhook_signature"][:-4]}, plain=False, standard=False),
    received("a standard signature without its version", PLAIN, headers={"webhook-signature": PLAIN["webhook_signature"].removeprefix("v1,")}, plain=True, standard=False),
    received("a timestamp that is no number", PLAIN, headers={"webhook-timestamp": f"{NOW}x"}, plain=True, standard=False),
    received("a timestamp that is not finite", PLAIN, headers={"webhook-timestamp": "NaN"}, plain=True, standard=False),
]

WORDS = {
    "about": (
        "Made by make_vectors.py. `signing`: what the service sends. `verifying`: what a receiver holds, gets and must say, for each "
        "form by itself. A body is a text, or one part repeated between two others; it is sent as UTF-8."
    ),
    "tolerance_seconds": TOLERANCE,
    "signing": SIGNING,
    "verifying": VERIFYING,
}

made = json.dumps(WORDS, indent=2) + "\n"
if "--check" in sys.argv:
    if FILE.read_text(encoding="utf-8") != made:
        sys.exit("webhook-signatures.json is not what make_vectors.py writes")
else:
    FILE.write_text(made, encoding="utf-8")
