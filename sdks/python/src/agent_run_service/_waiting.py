"""What the clients add to the operations of runs and batches."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import anyio

from ._caller import AsyncCaller, AsyncResource, Caller, Resource
from ._generated import models, operations, params
from ._operation import OMIT, Call
from ._stream_state import StreamPlan

_FIRST_PAUSE = 0.5
_MAX_PAUSE = 5.0
_RESULTS_PER_PAGE = 100
_ENDED = frozenset({"completed", "failed", "cancelled"})

_Options = Mapping[str, Any]


class RunHelpers(Resource):
    def wait(
        self,
        id: str,
        *,
        idle_timeout: float | None = None,
        resume_for: float | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Run:
        """
        Wait until a run has ended.

        However long it takes, or until it waits for a person: then `status` is `requires_action`. A failed run is no
        error.
        """
        options = _options(timeout, max_retries, extra_headers)
        return _wait_for_run(self._caller, id, options, idle_timeout, resume_for)

    def _create_and_wait(self, call: Call) -> models.Run:
        run: models.Run = self._caller.record(models.Run, call)
        return run if _is_settled(run) else _wait_for_run(self._caller, run.id, _options_of(call))


class AsyncRunHelpers(AsyncResource):
    async def wait(
        self,
        id: str,
        *,
        idle_timeout: float | None = None,
        resume_for: float | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Run:
        """
        Wait until a run has ended.

        However long it takes, or until it waits for a person: then `status` is `requires_action`. A failed run is no
        error.
        """
        options = _options(timeout, max_retries, extra_headers)
        return await _async_wait_for_run(self._caller, id, options, idle_timeout, resume_for)

    async def _create_and_wait(self, call: Call) -> models.Run:
        run: models.Run = await self._caller.record(models.Run, call)
        return run if _is_settled(run) else await _async_wait_for_run(self._caller, run.id, _options_of(call))


class BatchHelpers(Resource):
    def wait(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch:
        """
        Wait until a batch has ended.

        Reads the batch after 0.5 s, and then at growing intervals of at most 5 s.
        """
        call = Call(operations.BATCHES_GET, [id], **_options(timeout, max_retries, extra_headers))
        return self._until_ended(self._caller.record(models.Batch, call), call)

    def retry_failed(
        self,
        id: str,
        *,
        items: Sequence[params.BatchItemParams],
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch | None:
        """
        Create a batch of the items that have failed.

        It has the agent, the metadata and the timeout of the first one. Returns None if no item has failed. Pass the
        items of the first batch, because the service does not keep them. They are found by `custom_id`, and those
        without one by their place.
        """
        options = _options(timeout, max_retries, extra_headers)
        batch: models.Batch = self._caller.record(models.Batch, Call(operations.BATCHES_GET, [id], **options))
        results = self._caller.page(models.BatchResult, _results_call(id, options))
        find = _finder(items)
        failed = [find(result) for result in results if result.status == "failed"]
        if not failed:
            return None
        again: models.Batch = self._caller.record(models.Batch, _create_call(batch, failed, idempotency_key, options))
        return again

    def _create_and_wait(self, call: Call) -> models.Batch:
        batch: models.Batch = self._caller.record(models.Batch, call)
        return self._until_ended(batch, Call(operations.BATCHES_GET, [batch.id], **_options_of(call)))

    def _until_ended(self, batch: models.Batch, call: Call) -> models.Batch:
        for pause in _pauses():
            if batch.finished_at is not None:
                break
            time.sleep(pause)
            batch = self._caller.record(models.Batch, call)
        return batch


class AsyncBatchHelpers(AsyncResource):
    async def wait(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch:
        """
        Wait until a batch has ended.

        Reads the batch after 0.5 s, and then at growing intervals of at most 5 s.
        """
        call = Call(operations.BATCHES_GET, [id], **_options(timeout, max_retries, extra_headers))
        return await self._until_ended(await self._caller.record(models.Batch, call), call)

    async def retry_failed(
        self,
        id: str,
        *,
        items: Sequence[params.BatchItemParams],
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch | None:
        """
        Create a batch of the items that have failed.

        It has the agent, the metadata and the timeout of the first one. Returns None if no item has failed. Pass the
        items of the first batch, because the service does not keep them. They are found by `custom_id`, and those
        without one by their place.
        """
        options = _options(timeout, max_retries, extra_headers)
        batch: models.Batch = await self._caller.record(models.Batch, Call(operations.BATCHES_GET, [id], **options))
        results = self._caller.page(models.BatchResult, _results_call(id, options))
        find = _finder(items)
        failed = [find(result) async for result in results if result.status == "failed"]
        if not failed:
            return None
        call = _create_call(batch, failed, idempotency_key, options)
        again: models.Batch = await self._caller.record(models.Batch, call)
        return again

    async def _create_and_wait(self, call: Call) -> models.Batch:
        batch: models.Batch = await self._caller.record(models.Batch, call)
        return await self._until_ended(batch, Call(operations.BATCHES_GET, [batch.id], **_options_of(call)))

    async def _until_ended(self, batch: models.Batch, call: Call) -> models.Batch:
        for pause in _pauses():
            if batch.finished_at is not None:
                break
            await anyio.sleep(pause)
            batch = await self._caller.record(models.Batch, call)
        return batch


def _wait_for_run(
    caller: Caller, id: str, options: _Options, idle_timeout: float | None = None, resume_for: float | None = None
) -> models.Run:
    with caller.run_stream(_watch(id, options, idle_timeout, resume_for)) as stream:
        for frame in stream:
            if frame.type != "run.requires_action":
                continue
            # The stream begins with the first frame, so the question may be answered already.
            run: models.Run = caller.record(models.Run, Call(operations.RUNS_GET, [id], **options))
            if run.status == "requires_action":
                return run
        final: models.Run = stream.final_run()
        return final


async def _async_wait_for_run(
    caller: AsyncCaller, id: str, options: _Options, idle_timeout: float | None = None, resume_for: float | None = None
) -> models.Run:
    async with caller.run_stream(_watch(id, options, idle_timeout, resume_for)) as stream:
        async for frame in stream:
            if frame.type != "run.requires_action":
                continue
            run: models.Run = await caller.record(models.Run, Call(operations.RUNS_GET, [id], **options))
            if run.status == "requires_action":
                return run
        final: models.Run = await stream.final_run()
        return final


def _watch(id: str, options: _Options, idle_timeout: float | None, resume_for: float | None) -> StreamPlan:
    return StreamPlan(
        Call(operations.RUNS_WATCH, [id], {"after": OMIT, "deltas": "false"}, **options),
        resumed_by=operations.RUNS_WATCH,
        ends=True,
        frame=models.RunFrame,
        run=models.Run,
        idle_timeout=idle_timeout,
        resume_for=resume_for,
    )


def _is_settled(run: models.Run) -> bool:
    return run.status in _ENDED or run.status == "requires_action"


def _results_call(id: str, options: _Options) -> Call:
    return Call(operations.BATCHES_RESULTS, [id], {"limit": _RESULTS_PER_PAGE}, **options)


def _create_call(
    batch: models.Batch, items: Sequence[params.BatchItemParams], idempotency_key: str | None, options: _Options
) -> Call:
    sent = {
        "agent_id": batch.agent_id,
        "items": items,
        "metadata": batch.metadata,
        "timeout_seconds": OMIT if batch.timeout_seconds is None else batch.timeout_seconds,
    }
    return replace(Call(operations.BATCHES_CREATE, [], sent, **options), idempotency_key=idempotency_key)


def _finder(items: Sequence[params.BatchItemParams]) -> Callable[[models.BatchResult], params.BatchItemParams]:
    by_id = {item["custom_id"]: item for item in items if "custom_id" in item}

    def find(result: models.BatchResult) -> params.BatchItemParams:
        if result.custom_id in by_id:
            return by_id[result.custom_id]
        if result.custom_id is None and int(result.id) < len(items):
            return items[int(result.id)]
        raise ValueError(f"items has no item {result.custom_id or result.id}")

    return find


def _pauses() -> Iterator[float]:
    pause = _FIRST_PAUSE
    while True:
        yield pause
        pause = min(2 * pause, _MAX_PAUSE)


def _options(timeout: float | None, max_retries: int | None, extra_headers: Mapping[str, str] | None) -> dict[str, Any]:
    return {"timeout": timeout, "max_retries": max_retries, "extra_headers": extra_headers}


def _options_of(call: Call) -> dict[str, Any]:
    return _options(call.timeout, call.max_retries, call.extra_headers)
