"""What Schemathesis cannot know from the document: which ids exist, and how a stream is described."""

import datetime
import hashlib
import itertools
import json
import os
import pathlib
import re

import schemathesis
from hypothesis import strategies

scene = json.loads(pathlib.Path(os.environ["ARS_SCHEMATHESIS_SCENE"]).read_text())
figures_file = pathlib.Path(os.environ["ARS_SCHEMATHESIS_FIGURES"])
agents = scene["agents"]
# Sessions of as many people, for a run that asks as a browser.
sessions = itertools.cycle(scene["sessions"]) if os.environ["ARS_SCHEMATHESIS_AS"] == "person" else None
# Prefix of an id -> ids of things that exist and may be spoilt.
pools = scene["pools"]
# Ids of what this run itself stands on, such as its own key.
kept = set(scene["kept"])
# Where webhooks may go.
receivers = scene["receivers"]

# Operations that have answered 2xx. Until then an operation gets ids that exist, so that no run depends on chance.
succeeded = set()
# Answers of 503 that a busy machine may cause in one run.
max_unavailable = 5
# Before everything that the scene made, so that a recovery from here on has something to find.
long_ago = "2020-01-01T00:00:00Z"

id_shape = re.compile(r"^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$")


# Nothing here is older than the time that an id can tell, so an earlier date is refused (400). A format cannot say that.
moments = strategies.datetimes(min_value=datetime.datetime(1970, 1, 2), max_value=datetime.datetime(9999, 12, 31))
schemathesis.openapi.format("date-time", moments.map(lambda moment: moment.isoformat() + "Z"))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """Schemathesis compares an event as a whole; our document describes what stands in its `data`."""
    for path in raw_schema["paths"].values():
        for operation in path.values():
            for response in operation["responses"].values():
                stream = response.get("content", {}).get("text/event-stream")
                if stream is not None:
                    stream["schema"] = event_with(stream["x-item-schema"])


def event_with(schema):
    return {
        "type": "object",
        "properties": {
            "id": {"type": "string", "pattern": "^[0-9]+$"},
            "event": {"type": "string"},
            "data": {"type": "string", "contentMediaType": "application/json", "contentSchema": schema},
        },
        "required": ["id", "event", "data"],
    }


@schemathesis.hook
def before_call(context, case, kwargs):
    """Puts ids that name something in the place of most that are well formed. Those of a chain of calls are left alone."""
    operation = case.operation.definition.raw["operationId"]
    dice = int(hashlib.sha256(repr([case.path_parameters, case.body, case.query]).encode()).hexdigest(), 16)
    in_chain = case.meta is not None and case.meta.phase.name.value == "stateful"
    # A run that waits for a person streams for as long as nobody decides, so only runs that end are streamed.
    streams = operation in ("runs.stream", "runs.watch", "pipelineRuns.watch")
    untried = not in_chain and operation not in succeeded
    fits = case.meta is not None and case.meta.generation.mode.is_positive
    if sessions is not None:
        show_session(case, operation, dice)
    for name, value in (case.path_parameters or {}).items():
        if streams or untried or value in kept or (not in_chain and dice % 4 != 0):
            case.path_parameters[name] = known_in_place_of(value, operation, dice // 4)
    # The only step of the pipelines of the scene.
    if operation == "pipelineRuns.items" and fits and dice % 4 != 0:
        case.path_parameters["key"] = "extract"
    in_order(case.query or {})
    # A version is a number of one agent. Without the agent it is 400, which a schema of parameters cannot say.
    if operation == "runs.list" and "agent_version" in (case.query or {}):
        case.query.setdefault("agent_id", agents["test-echo"])
    body = case.body
    if not isinstance(body, dict):
        return
    # No object may hold this key (400), at any depth, which a JSON Schema cannot say.
    case.body = body = without_forbidden_key(body)
    # The example of the document names nothing that exists here.
    if untried:
        body.update({name: known_in_place_of(value, operation, dice // 8) for name, value in body.items()})
    if is_id(body.get("agent_id")) and (streams or dice % 8 != 0):
        body["agent_id"] = agents["test-echo"] if streams or in_chain else one_of(cheap_agents, dice // 8)
    # Most addresses that can be written lead nowhere that may be called.
    if operation in ("webhooks.create", "webhooks.update") and is_address(body.get("url")) and dice % 8 != 0:
        body["url"] = "https://%s.%d/hook" % (receivers, dice // 8 % 200)
        body["events"] = ["run.completed", "*"]
        body.pop("secret", None)
    if operation == "alertDestinations.create" and is_address(body.get("url")) and dice % 8 != 0:
        body["url"] = "https://%s.%d/hook" % (receivers, dice // 8 % 200)
    # The document does not say which keys the metadata of a schedule may have; that of runs says it.
    if operation in ("schedules.create", "schedules.update") and isinstance(body.get("metadata"), dict):
        body["metadata"] = {key: each for key, each in body["metadata"].items() if 0 < len(key) <= 64 and "\0" not in key}
    # A small budget would refuse the runs of all later cases (429). The tests of budgets have those.
    if type(body.get("monthly_budget_usd")) in (int, float) and 0 <= body["monthly_budget_usd"] < 1_000_000:
        body["monthly_budget_usd"] += 1_000_000
    # Nearly all moments that a format allows lie in the future, and a recovery from there on is refused (422).
    if operation == "webhooks.recover" and untried and isinstance(body.get("since"), str):
        body["since"] = long_ago
        body.pop("until", None)
    # The hash of a tool is known to its server alone. The scene has planted this one.
    if operation == "connectors.approveTool" and untried and isinstance(body.get("hash"), str):
        case.path_parameters["name"] = "planted"
        body["hash"] = "0" * 64
    # Rules between two fields are 400, and a schema of fields cannot say them.
    if operation == "runs.act" and body.get("type") in ("respond", "message"):
        body.setdefault("payload", {"message": "Hello"})
    if operation == "agents.create" and isinstance(body.get("config"), dict):
        required = {"url": "https://%s.1/agent" % receivers} if body.get("kind") == "remote" else {"model": "simulated/echo"}
        for name, value in required.items():
            body["config"].setdefault(name, value)
    if fits:
        with_sense(body, operation, untried or dice % 4 != 0)
    # Which question is open is known to the run alone; left out, the one that is open is meant.
    if operation == "runs.act" and is_id(body.get("action_id")) and dice % 8 != 0:
        del body["action_id"]


def with_sense(body, operation, is_meant):
    """Rules between fields of pipelines and schedules are 422. Most bodies get what the service accepts."""
    # Each item becomes a run. The tests of batches have long lists.
    if operation == "batches.create" and isinstance(body.get("items"), list):
        body["items"] = body["items"][:5]
    if not is_meant:
        return
    if operation in ("pipelines.create", "pipelines.check", "pipelines.update") and "definition" in body:
        body["definition"] = {"steps": [{"key": "extract", "agent_id": agents["test-echo"]}]}
    # Which version is the newest is known to the pipeline alone.
    if operation == "pipelines.update":
        body.pop("version", None)
        body.setdefault("name", "Changed")
    if operation == "pipelineRuns.rerun":
        body["from_step"] = "extract"
    if operation == "pipelineRuns.act":
        body.pop("action_id", None)
    if operation in ("schedules.create", "schedules.update"):
        for name in ("cron", "time_zone", "once_at", "pipeline_id"):
            body.pop(name, None)
        body.update({"interval_seconds": 31_622_400, "agent_id": agents["test-echo"]})


def in_order(query):
    """A window that ends before it begins is 400, which the two formats cannot say."""
    begin, end = query.get("created_after"), query.get("created_before")
    try:
        is_reversed = datetime.datetime.fromisoformat(begin) > datetime.datetime.fromisoformat(end)
    except (TypeError, ValueError):
        return
    if is_reversed:
        query["created_after"], query["created_before"] = end, begin


def show_session(case, operation, dice):
    # A new one each time: the tested call may end it.
    session = next(sessions)
    case.cookies = {"__Host-ars_session": session["cookie"]}
    # A header that was made up from the document would count before the cookie.
    case.headers.pop("Authorization", None)
    # A browser that sends no body says what it does not send, or it is taken for a form of another page.
    if case.method == "POST" and case.operation.definition.raw.get("requestBody") is None:
        case.headers["Content-Type"] = "application/json"
    if operation == "sessions.end" and is_id(case.path_parameters["id"]) and dice % 4 != 0:
        case.path_parameters["id"] = session["id"]


def known_in_place_of(value, operation, dice):
    if not is_id(value):
        return value
    pool = pools.get("%s for %s" % (prefix_of(value), operation), pools.get(prefix_of(value), []))
    return one_of(pool, dice) if pool else value


def without_forbidden_key(value):
    if isinstance(value, dict):
        return {name: without_forbidden_key(each) for name, each in value.items() if name != "__proto__"}
    return [without_forbidden_key(each) for each in value] if isinstance(value, list) else value


def is_address(value):
    return isinstance(value, str) and 0 < len(value) <= 2048


cheap_agents = [agents[name] for name in ("test-echo", "test-echo", "test-steps", "test-fail", "test-approval")]


def is_id(value):
    return isinstance(value, str) and id_shape.match(value) is not None


def prefix_of(value):
    return value.split("_")[0]


def one_of(pool, dice):
    return pool[dice % len(pool)]


@schemathesis.check
class every_operation_succeeds:
    """At least once: an operation whose every case was refused was not tried at all. Also counts, for the report."""

    def __init__(self, *, except_for=None):
        self.excused = set(except_for or [])
        self.answers = {}

    def after_response(self, context, response, case):
        counts = self.answers.setdefault(case.operation.definition.raw["operationId"], {})
        counts[response.status_code] = counts.get(response.status_code, 0) + 1
        if 200 <= response.status_code < 300:
            succeeded.add(case.operation.definition.raw["operationId"])

    def after_run(self, context):
        figures_file.write_text(json.dumps(self.answers))
        never = [name for name, counts in self.answers.items() if not any(200 <= code < 300 for code in counts)]
        unexpected = sorted(set(never) - self.excused)
        refused = {name: counts[503] for name, counts in self.answers.items() if 503 in counts}
        if sum(refused.values()) > max_unavailable:
            raise AssertionError("answered 503 more than %d times: %s" % (max_unavailable, refused))
        if unexpected:
            raise AssertionError("never answered 2xx: " + ", ".join(unexpected))
