# Holds receiver.py against the shared vectors: python3 examples/receiver/receiver_test.py
import json
import pathlib
import sys
from email.message import Message

sys.dont_write_bytecode = True
from receiver import plain_fits, standard_fits  # noqa: E402

VECTORS = pathlib.Path(__file__).parents[2] / "sdks/conformance/webhook-signatures.json"


def text_of(body):
    return body if isinstance(body, str) else body["before"] + body["repeat"] * body["times"] + body["after"]


cases = json.loads(VECTORS.read_text(encoding="utf-8"))["verifying"]
wrong = []
for case in cases:
    headers = Message()
    for name, value in case["headers"].items():
        headers[name] = value
    body = text_of(case["body"]).encode()
    said = (
        any(plain_fits(secret, headers, body) for secret in case["secrets"]),
        any(standard_fits(secret, headers, body, case["now"]) for secret in case["secrets"]),
    )
    if said != (case["plain"], case["standard"]):
        wrong.append(f"{case['name']}: {said}")
if wrong:
    sys.exit("\n".join(wrong))
print(f"{len(cases)} vectors hold")
