"""
Runs the cases of sdks/conformance with both clients.

    node sdks/conformance/main.ts python sdks/python/conformance/runner.py
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import ssl
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import agent_run_service as ars
from agent_run_service import webhooks

URL = os.environ.get("ARS_CONFORMANCE_URL", "")
AT_ONCE = 8
# Loading the certificates once, not once per case.
TLS = ssl.create_default_context()

KINDS: list[tuple[type[BaseException], str]] = [
    # The most special class comes first.
    (webhooks.WebhookVerificationError, "webhook"),
    (ars.AuthenticationError, "authentication"),
    (ars.PermissionDeniedError, "permission"),
    (ars.NotFoundError, "not_found"),
    (ars.RateLimitError, "rate_limit"),
    (ars.InvalidRequestError, "invalid_request"),
    (ars.ApiError, "api"),
    (ars.ApiTimeoutError, "timeout"),
    (ars.ApiConnectionError, "connection"),
    (asyncio.CancelledError, "cancelled"),
    (ValueError, "argument"),
]


def ask(path: str, body: Any = None, base: str = "") -> Any:
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request((base or URL) + path, data=data)  # noqa: S310
    with urllib.request.urlopen(request) as response:  # noqa: S310
        return json.load(response)


def run_sync(case: dict[str, Any]) -> None:
    runner = "python-sync"
    if any("cancel_after_requests" in call for call in case["calls"]):
        ask("/skips", {"case": case["name"], "runner": runner, "reason": "a blocking call cannot be cancelled"})
        return
    session = ask("/sessions", {"case": case["name"], "runner": runner})
    with ars.AgentRunService(**options_of(session, case)) as client:
        outcomes = [sync_outcome(client, call) for call in case["calls"]]
    ask(f"/sessions/{session['session']}/outcome", {"outcomes": outcomes})


def sync_outcome(client: ars.AgentRunService, call: dict[str, Any]) -> dict[str, Any]:
    seen: dict[str, Any] = {}
    try:
        if call["do"] == "unwrap":
            seen["result"] = unwrap(call["delivery"])
            return seen
        method, path, keywords = method_of(client, call)
        if call["do"] == "call":
            seen["result"] = plain(method(*path, **keywords))
        elif call["do"] == "output_text":
            seen["text"] = method(*path, **keywords).output_text
        elif call["do"] == "list":
            items = seen["items"] = []
            for item in method(*path, **keywords):
                items.append(plain(item))
                if len(items) == call.get("take"):
                    break
        elif call["do"] == "text":
            with method(*path, **keywords) as stream:
                seen["text"] = stream.text()
        elif call["do"] == "final_run":
            with method(*path, **keywords) as stream:
                seen["result"] = plain(stream.final_run())
        else:
            frames = seen["frames"] = []
            with method(*path, **keywords) as stream:
                for frame in stream:
                    frames.append(plain(frame))
                    if len(frames) == call.get("take"):
                        break
            seen["last_event_id"] = stream.last_event_id
    except Exception as error:
        seen["error"] = error_of(error)
    return seen


async def run_async(case: dict[str, Any]) -> None:
    session = await asyncio.to_thread(ask, "/sessions", {"case": case["name"], "runner": "python-async"})
    base = f"{URL}/sessions/{session['session']}"
    outcomes = []
    async with ars.AsyncAgentRunService(**options_of(session, case)) as client:
        for call in case["calls"]:
            seen: dict[str, Any] = {}
            work = asyncio.create_task(perform(client, call, seen))
            if "cancel_after_requests" in call:
                await asyncio.to_thread(ask, f"/wait?requests={call['cancel_after_requests']}", None, base)
                # The client must have the reply of the last request, so that it waits.
                await asyncio.sleep(0.2)
                work.cancel()
            try:
                await work
            except BaseException as error:
                seen["error"] = error_of(error)
            outcomes.append(seen)
    await asyncio.to_thread(ask, "/outcome", {"outcomes": outcomes}, base)


async def perform(client: ars.AsyncAgentRunService, call: dict[str, Any], seen: dict[str, Any]) -> None:
    if call["do"] == "unwrap":
        seen["result"] = unwrap(call["delivery"])
        return
    method, path, keywords = method_of(client, call)
    if call["do"] == "call":
        seen["result"] = plain(await method(*path, **keywords))
    elif call["do"] == "output_text":
        seen["text"] = (await method(*path, **keywords)).output_text
    elif call["do"] == "list":
        items = seen["items"] = []
        async for item in method(*path, **keywords):
            items.append(plain(item))
            if len(items) == call.get("take"):
                break
    elif call["do"] == "text":
        async with method(*path, **keywords) as stream:
            seen["text"] = await stream.text()
    elif call["do"] == "final_run":
        async with method(*path, **keywords) as stream:
            seen["result"] = plain(await stream.final_run())
    else:
        frames = seen["frames"] = []
        async with method(*path, **keywords) as stream:
            async for frame in stream:
                frames.append(plain(frame))
                if len(frames) == call.get("take"):
                    break
        seen["last_event_id"] = stream.last_event_id


def options_of(session: dict[str, Any], case: dict[str, Any]) -> dict[str, Any]:
    given = {"api_key": session["api_key"], "base_url": session["base_url"], "verify": TLS}
    return {**given, **seconds(case.get("client", {}))}


def method_of(client: Any, call: dict[str, Any]) -> tuple[Any, list[Any], dict[str, Any]]:
    resource, name = (snake(part) for part in call["operation"].split("."))
    options = seconds(call.get("options", {}))
    if "headers" in options:
        options["extra_headers"] = options.pop("headers")
    keywords = {**call.get("query", {}), **call.get("body", {}), **options}
    return getattr(getattr(client, resource), name), call.get("path", []), keywords


def seconds(options: dict[str, Any]) -> dict[str, Any]:
    return {
        name.removesuffix("_ms"): value / 1000 if name.endswith("_ms") else value for name, value in options.items()
    }


def snake(name: str) -> str:
    return re.sub(r"[A-Z]", lambda letter: f"_{letter.group().lower()}", name)


def unwrap(delivery: dict[str, Any]) -> Any:
    secrets, now = delivery["secrets"], delivery["now"]
    return plain(webhooks.unwrap(delivery["body"], delivery["headers"], secret=secrets, now=now))


def plain(value: Any) -> Any:
    return None if value is None else value.to_dict()


def error_of(error: BaseException) -> dict[str, Any]:
    kind = next((name for form, name in KINDS if isinstance(error, form)), repr(error))
    names = ("status", "code", "type", "param", "details", "request_id", "doc_url", "reason")
    fields = {name: getattr(error, name, None) for name in names}
    retry_after = getattr(error, "retry_after", None)
    told = None if retry_after is None else round(retry_after * 1000)
    return {"kind": kind, "message": str(error), "retry_after_ms": told, **fields}


async def run_all_async(cases: list[dict[str, Any]]) -> None:
    places = asyncio.Semaphore(AT_ONCE)

    async def run_one(case: dict[str, Any]) -> None:
        async with places:
            await run_async(case)

    await asyncio.gather(*(run_one(case) for case in cases))


def main() -> None:
    cases = ask("/cases")["cases"]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(run_sync, cases))
    asyncio.run(run_all_async(cases))


if __name__ == "__main__":
    main()
