# Made by `pnpm gen` from packages/contract/openapi.json. Change the contract, not this file.

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from .._async_streams import AsyncRunStream, AsyncStream
from .._caller import AsyncCaller, AsyncResource, async_raw_list, async_raw_method
from .._operation import OMIT, Call, Omit
from .._pages import AsyncPages
from .._stream_state import StreamPlan
from .._waiting import AsyncBatchHelpers, AsyncRunHelpers
from ..webhooks import WebhookReceiver
from . import models, operations, params


class AsyncRuns(AsyncRunHelpers, AsyncResource):
    """Create, stream, read, answer and cancel runs of agents."""

    @property
    def with_raw_response(self) -> AsyncRunsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncRunsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        agent_version: int | Omit = OMIT,
        deployment_id: str | Omit = OMIT,
        status: params.RunStatus | Sequence[params.RunStatus] | Omit = OMIT,
        error_code: params.RunErrorCode | Sequence[params.RunErrorCode] | Omit = OMIT,
        created_by: str | Omit = OMIT,
        created_after: datetime | Omit = OMIT,
        created_before: datetime | Omit = OMIT,
        pipeline_run_id: str | Omit = OMIT,
        parent_run_id: str | Omit = OMIT,
        metadata: Mapping[str, str] | Omit = OMIT,
        ids: str | Sequence[str] | Omit = OMIT,
        view: params.RunsListView | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Run]:
        """
        List runs with filters.

        Requires the scope `runs:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            agent_id: The id of an agent.
            agent_version: Only runs of this version of the agent. Needs `agent_id`.
            deployment_id: Only runs of this deployment.
            status: One or more of queued, running, requires_action, cancelling, completed, failed, cancelled,
            separated by commas.
            error_code: Only runs that failed with one of these codes, separated by commas.
            created_by: Only runs that this API key (`key_…`) or person (`usr_…`) created.
            created_after: Only items that were created at or after this time.
            created_before: Only items that were created before this time.
            pipeline_run_id: The id of a pipeline run.
            parent_run_id: Only runs that this run created.
            metadata: Send as `metadata[key]=value`. Runs must match all given pairs.
            ids: Only these runs, at most 100 ids, separated by commas. Unknown ids match nothing.
            view: `summary`: `input` is `{}`, `output` is null, and `input_preview` and `output_preview` have their
            first 200 characters.
        """
        call = Call(
            operations.RUNS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "agent_id": agent_id,
                "agent_version": agent_version,
                "deployment_id": deployment_id,
                "status": status,
                "error_code": error_code,
                "created_by": created_by,
                "created_after": created_after,
                "created_before": created_before,
                "pipeline_run_id": pipeline_run_id,
                "parent_run_id": parent_run_id,
                "metadata": metadata,
                "ids": ids,
                "view": view,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Run] = self._caller.page(models.Run, call)
        return result

    async def create(
        self,
        *,
        agent_id: str,
        input: Mapping[str, Any],
        metadata: Mapping[str, str] | Omit = OMIT,
        timeout_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
        wait: int | Literal[False] | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Run:
        """
        Invoke an agent.

        Creates a run and waits for its result, up to 55 seconds by default; `Prefer` changes the wait. Returns 200
        if the run has ended, and 202 if it has not ended or waits for a person. The run then continues; read it at
        `Location`.

        Requires the scope `runs:write`.

        Args:
            agent_id: The id of an agent.
            input: The input of the agent. It must match the agent’s `input_schema`, if there is one.
            metadata: Your own key-value pairs, returned unchanged. You can filter runs by them.
            timeout_seconds: The run fails with `run_timeout` after this time. Default: the agent’s timeout, else
            600; the plan sets the maximum. Time spent waiting for people does not count.
        """
        call = Call(
            operations.RUNS_CREATE,
            [],
            {
                "agent_id": agent_id,
                "input": input,
                "metadata": metadata,
                "timeout_seconds": timeout_seconds,
            },
            idempotency_key=idempotency_key,
            wait=wait,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Run = await self._caller.record(models.Run, call)
        return result

    def stream(
        self,
        *,
        agent_id: str,
        input: Mapping[str, Any],
        metadata: Mapping[str, str] | Omit = OMIT,
        timeout_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
        last_event_id: str | None = None,
        idle_timeout: float | None = None,
        resume_for: float | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncRunStream[models.RunFrame, models.Run]:
        """
        Stream run output as SSE.

        Creates a run and streams its frames until the run ends. If the connection breaks, the run continues; resume
        with `GET /runs/{id}/stream`.

        Requires the scope `runs:write`.

        Args:
            agent_id: The id of an agent.
            input: The input of the agent. It must match the agent’s `input_schema`, if there is one.
            metadata: Your own key-value pairs, returned unchanged. You can filter runs by them.
            timeout_seconds: The run fails with `run_timeout` after this time. Default: the agent’s timeout, else
            600; the plan sets the maximum. Time spent waiting for people does not count.
        """
        call = Call(
            operations.RUNS_STREAM,
            [],
            {
                "agent_id": agent_id,
                "input": input,
                "metadata": metadata,
                "timeout_seconds": timeout_seconds,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        plan = StreamPlan(
            call,
            resumed_by=operations.RUNS_WATCH,
            ends=True,
            frame=models.RunFrame,
            run=models.Run,
            last_event_id=last_event_id,
            idle_timeout=idle_timeout,
            resume_for=resume_for,
        )
        return self._caller.run_stream(plan)

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Run:
        """
        Get a run result.

        Requires the scope `runs:read`. Pages of other origins can call it with a short-lived token only. The token
        of a link to the run can call it.

        Args:
            id: The id of a run.
        """
        call = Call(
            operations.RUNS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Run = await self._caller.record(models.Run, call)
        return result

    async def cancel(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Run:
        """
        Cancel a run.

        Stops the run, including a model call in progress. A run that has ended is returned unchanged.

        Requires the scope `runs:write`. Pages of other origins can call it with a short-lived token only.

        Args:
            id: The id of a run.
        """
        call = Call(
            operations.RUNS_CANCEL,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Run = await self._caller.record(models.Run, call)
        return result

    def watch(
        self,
        id: str,
        *,
        after: int | Omit = OMIT,
        deltas: params.RunsWatchDeltas | Omit = OMIT,
        last_event_id: str | None = None,
        idle_timeout: float | None = None,
        resume_for: float | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncRunStream[models.RunFrame, models.Run]:
        """
        Stream an existing run from any frame.

        Streams the frames of a run from the beginning, or after the frame in `Last-Event-ID` or `after`. Works for
        active and ended runs, as long as the run is kept.

        Requires the scope `runs:read`. Pages of other origins can call it with a short-lived token only. The token
        of a link to the run can call it.

        Args:
            id: The id of a run.
            after: Returns the frames after this id. Equivalent to the header `Last-Event-ID`.
            deltas: `false`: leaves out `run.output.delta` and `run.output.reset`, for a client that shows no text
            while it is produced.
        """
        call = Call(
            operations.RUNS_WATCH,
            [id],
            {
                "after": after,
                "deltas": deltas,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        plan = StreamPlan(
            call,
            resumed_by=operations.RUNS_WATCH,
            ends=True,
            frame=models.RunFrame,
            run=models.Run,
            last_event_id=last_event_id,
            idle_timeout=idle_timeout,
            resume_for=resume_for,
        )
        return self._caller.run_stream(plan)

    def steps(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: int | Omit = OMIT,
        before: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.RunStep]:
        """
        List the steps of a run.

        Lists model calls and tool calls with arguments, results, tokens, cost and times, oldest first. `after` and
        `before` are step numbers.

        Requires the scope `runs:read`. The token of a link to the run can call it.

        Args:
            id: The id of a run.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.RUNS_STEPS,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.RunStep] = self._caller.page(models.RunStep, call)
        return result

    async def diagnose(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.RunDiagnosis:
        """
        Explain why a run does not progress.

        Says what the run waits for, since when, and when its next deadline is.

        Requires the scope `runs:read`.

        Args:
            id: The id of a run.
        """
        call = Call(
            operations.RUNS_DIAGNOSE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.RunDiagnosis = await self._caller.record(models.RunDiagnosis, call)
        return result

    async def held(
        self,
        id: str,
        *,
        action_id: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.HeldContent:
        """
        Read what a policy holds back.

        Shows the content that waits for an approval because of a rule with the action `require_approval`. It is 404
        when no such action is open: after the decision, the expiry or the end of the run, the content is not shown
        here.

        Requires the scope `runs:approve`.

        Args:
            id: The id of a run.
            action_id: Which open action. Default: the oldest one that holds content.
        """
        call = Call(
            operations.RUNS_HELD,
            [id],
            {
                "action_id": action_id,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.HeldContent = await self._caller.record(models.HeldContent, call)
        return result

    async def act(
        self,
        id: str,
        *,
        type: params.SendActionType,
        action_id: str | Omit = OMIT,
        comment: str | Omit = OMIT,
        payload: Any | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Run:
        """
        Send an action to an active run.

        `approve`, `reject` and `respond` answer an open action of `required_actions`. `message` adds a user message
        for the next step. Sending the same decision again has no further effect.

        Requires the scope `runs:write`. Requires `runs:approve` instead if `type` is or contains `approve`,
        `reject` or `respond`. Pages of other origins can call it with a short-lived token only.

        Args:
            id: The id of a run.
            type: `approve` or `reject` an approval or a `raise_budget`, `respond` to an input or reconcile
            question, or send a `message`.
            action_id: Which open action you decide. Optional if exactly one is open. Always send the id of the
            question that was read: a decision without it can reach another question that opened meanwhile.
            comment: The reason; it is recorded.
            payload: Required for `respond`: a value that matches `response_schema`. Required for `message`:
            `{"message": "…"}`.
        """
        call = Call(
            operations.RUNS_ACT,
            [id],
            {
                "type": type,
                "action_id": action_id,
                "comment": comment,
                "payload": payload,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Run = await self._caller.record(models.Run, call)
        return result

    async def erase(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Run:
        """
        Erase the data of an ended run.

        Erases input, output, steps and events. The record of the run stays, with status, times, metadata and error.

        Requires the scope `runs:erase`.

        Args:
            id: The id of a run.
        """
        call = Call(
            operations.RUNS_ERASE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Run = await self._caller.record(models.Run, call)
        return result

    def shares(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.RunShare]:
        """
        List the links to a run.

        Links that have expired or were revoked are not listed. The token is never shown again.

        Requires the scope `runs:share`.

        Args:
            id: The id of a run.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.RUNS_SHARES,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.RunShare] = self._caller.page(models.RunShare, call)
        return result

    async def share(
        self,
        id: str,
        *,
        expires_in_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.CreatedRunShare:
        """
        Share a run by a link.

        Makes a read-only link to the run, its steps and its stream. It also ends with the key or the membership of
        its maker, and when the data of the run is erased. Only this response contains the token.

        Requires the scopes `runs:share` and `runs:read`. A short-lived token cannot call it.

        Args:
            id: The id of a run.
            expires_in_seconds: Lifetime in seconds, at most 2592000 (30 days). A key that ends earlier shortens it.
        """
        call = Call(
            operations.RUNS_SHARE,
            [id],
            {
                "expires_in_seconds": expires_in_seconds,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.CreatedRunShare = await self._caller.record(models.CreatedRunShare, call)
        return result

    async def revoke_share(
        self,
        id: str,
        share_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.RunShare:
        """
        Revoke a link to a run.

        The link stops working everywhere within 5 seconds, also for open streams.

        Requires the scope `runs:share`.

        Args:
            id: The id of a run.
            share_id: The id of a link to a run.
        """
        call = Call(
            operations.RUNS_REVOKE_SHARE,
            [id, share_id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.RunShare = await self._caller.record(models.RunShare, call)
        return result

    async def create_and_wait(
        self,
        *,
        agent_id: str,
        input: Mapping[str, Any],
        metadata: Mapping[str, str] | Omit = OMIT,
        timeout_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Run:
        """
        Create a run and wait until it has ended.

        However long it takes, or until it waits for a person: then `status` is `requires_action`. A failed run is
        no error.

        Requires the scope `runs:write`.

        Args:
            agent_id: The id of an agent.
            input: The input of the agent. It must match the agent’s `input_schema`, if there is one.
            metadata: Your own key-value pairs, returned unchanged. You can filter runs by them.
            timeout_seconds: The run fails with `run_timeout` after this time. Default: the agent’s timeout, else
            600; the plan sets the maximum. Time spent waiting for people does not count.
        """
        call = Call(
            operations.RUNS_CREATE,
            [],
            {
                "agent_id": agent_id,
                "input": input,
                "metadata": metadata,
                "timeout_seconds": timeout_seconds,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Run = await self._create_and_wait(call)
        return result


class AsyncRunsWithRawResponse:
    def __init__(self, runs: AsyncRuns) -> None:
        raw = AsyncRuns(runs._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.cancel = async_raw_method(raw.cancel)
        self.steps = async_raw_list(raw.steps)
        self.diagnose = async_raw_method(raw.diagnose)
        self.held = async_raw_method(raw.held)
        self.act = async_raw_method(raw.act)
        self.erase = async_raw_method(raw.erase)
        self.shares = async_raw_list(raw.shares)
        self.share = async_raw_method(raw.share)
        self.revoke_share = async_raw_method(raw.revoke_share)


class AsyncAgents(AsyncResource):
    """Hire, create, change and archive agents, and read their versions."""

    @property
    def with_raw_response(self) -> AsyncAgentsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncAgentsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        status: params.AgentStatus | Sequence[params.AgentStatus] | Omit = OMIT,
        source: params.AgentSource | Sequence[params.AgentSource] | Omit = OMIT,
        q: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Agent]:
        """
        List all agents.

        Requires the scope `agents:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            status: One or more of active, archived, separated by commas.
            source: One or more of catalog, custom, separated by commas.
            q: Text to search for in name and description.
        """
        call = Call(
            operations.AGENTS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "status": status,
                "source": source,
                "q": q,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Agent] = self._caller.page(models.Agent, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Agent:
        """
        Get an agent by id.

        Requires the scope `agents:read`.

        Args:
            id: The id of an agent.
        """
        call = Call(
            operations.AGENTS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Agent = await self._caller.record(models.Agent, call)
        return result

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        description: str | Omit | None = OMIT,
        config: params.AgentConfigInputParams | Omit = OMIT,
        input_schema: Mapping[str, Any] | Omit | None = OMIT,
        output_schema: Mapping[str, Any] | Omit | None = OMIT,
        limits: params.AgentLimitsInputParams | Omit | None = OMIT,
        policies: Sequence[str] | Omit | None = OMIT,
        metadata: Mapping[str, str | None] | Omit | None = OMIT,
        catalog_version: int | Omit = OMIT,
        version: int | Omit = OMIT,
        rollout: params.RolloutParams | Omit = OMIT,
        monthly_budget_usd: float | Omit | None = OMIT,
        budget_action: params.BudgetAction | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.ReleasedAgent:
        """
        Update agent configuration.

        Omitted fields stay unchanged, null clears a field, objects are merged, lists and schemas are replaced. A
        change creates a new version and deploys it to all runs or, with `rollout`, to a share of them. Active runs
        stay on their version. A budget belongs to no version.

        Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set. Requires
        `runs:read` too if `config.url` is set.

        Args:
            id: The id of an agent.
            name: The name of the agent.
            description: What the agent does, for people.
            input_schema: JSON Schema of the input.
            output_schema: JSON Schema of the output.
            policies: The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches
            one.
            metadata: Your own key-value pairs. They are merged; null removes a key.
            catalog_version: Adopts this version of the catalog agent. Your own changes since you hired it are kept.
            version: The version that your change is based on. If a newer one exists, nothing changes
            (`version_conflict`).
            monthly_budget_usd: US dollars a month, UTC; null: none.
            budget_action: `refuse`: new runs are rejected. `park`: runs wait before their next model call.
            `notify`: only events are sent.
        """
        call = Call(
            operations.AGENTS_UPDATE,
            [id],
            {
                "name": name,
                "description": description,
                "config": config,
                "input_schema": input_schema,
                "output_schema": output_schema,
                "limits": limits,
                "policies": policies,
                "metadata": metadata,
                "catalog_version": catalog_version,
                "version": version,
                "rollout": rollout,
                "monthly_budget_usd": monthly_budget_usd,
                "budget_action": budget_action,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.ReleasedAgent = await self._caller.record(models.ReleasedAgent, call)
        return result

    async def archive(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Agent:
        """
        Archive an agent.

        Active runs finish; new runs are rejected with `agent_archived` until the agent is unarchived. Archiving
        again has no effect.

        Requires the scope `agents:write`.

        Args:
            id: The id of an agent.
        """
        call = Call(
            operations.AGENTS_ARCHIVE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Agent = await self._caller.record(models.Agent, call)
        return result

    async def unarchive(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Agent:
        """
        Return an archived agent to service.

        The agent accepts runs and changes again, with the configuration and the deployments that it had. It counts
        towards the limit of agents again. An active agent is returned unchanged.

        Requires the scope `agents:write`.

        Args:
            id: The id of an agent.
        """
        call = Call(
            operations.AGENTS_UNARCHIVE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Agent = await self._caller.record(models.Agent, call)
        return result

    async def rotate_signing_secret(
        self,
        id: str,
        *,
        overlap_hours: int | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AgentWithSecret:
        """
        Replace the signing secret of a remote agent.

        For `overlap_hours`, `webhook-signature` contains the signatures of both secrets. 0 switches immediately.
        The secret belongs to the agent and not to a version: a rollback does not restore an old one, and active
        runs use the new one too. After a second rotation within this time, the secret before it is the old one.

        Requires the scope `agents:write`.

        Args:
            id: The id of an agent.
            overlap_hours: Hours for which the old secret signs too.
        """
        call = Call(
            operations.AGENTS_ROTATE_SIGNING_SECRET,
            [id],
            {
                "overlap_hours": overlap_hours,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AgentWithSecret = await self._caller.record(models.AgentWithSecret, call)
        return result

    async def hire(
        self,
        catalog_key: str,
        *,
        name: str | Omit = OMIT,
        config: params.AgentConfigInputParams | Omit = OMIT,
        metadata: Mapping[str, str] | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.ReleasedAgent:
        """
        Hire a catalog agent into the organisation.

        Each request creates an agent. To retry safely, send an `Idempotency-Key`.

        Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set. A key that is
        narrowed to agents, or a demo key, cannot call it.

        Args:
            catalog_key: The key of a catalog agent.
            name: Default: the name in the catalog.
            config: Values that differ from the catalog, such as `model`. Objects are merged, lists are replaced.
            metadata: Your own key-value pairs.
        """
        call = Call(
            operations.AGENTS_HIRE,
            [catalog_key],
            {
                "name": name,
                "config": config,
                "metadata": metadata,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.ReleasedAgent = await self._caller.record(models.ReleasedAgent, call)
        return result

    async def create(
        self,
        *,
        name: str,
        config: params.AgentConfigInputParams,
        description: str | Omit | None = OMIT,
        kind: params.AgentKind | Omit = OMIT,
        input_schema: Mapping[str, Any] | Omit | None = OMIT,
        output_schema: Mapping[str, Any] | Omit | None = OMIT,
        limits: params.AgentLimitsInputParams | Omit = OMIT,
        policies: Sequence[str] | Omit = OMIT,
        metadata: Mapping[str, str] | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.CreatedAgent:
        """
        Create a custom organisation agent.

        Requires the scope `agents:write`. Requires `connectors:read` too if `config.tools` is set. Requires
        `runs:read` too if `config.url` is set. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            name: The name of the agent.
            description: What the agent does, for people.
            kind: `llm`: the service calls a model. `remote`: the service calls your HTTPS endpoint.
            input_schema: JSON Schema of the input.
            output_schema: JSON Schema of the output.
            policies: The ids of the policies attached to it. Read-only: `POST /policies/{id}/attachments` attaches
            one.
            metadata: Your own key-value pairs.
        """
        call = Call(
            operations.AGENTS_CREATE,
            [],
            {
                "name": name,
                "config": config,
                "description": description,
                "kind": kind,
                "input_schema": input_schema,
                "output_schema": output_schema,
                "limits": limits,
                "policies": policies,
                "metadata": metadata,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.CreatedAgent = await self._caller.record(models.CreatedAgent, call)
        return result

    async def prompt(
        self,
        *,
        input: Mapping[str, Any],
        agent_id: str | Omit = OMIT,
        version: int | Omit = OMIT,
        config: params.PromptConfigInputParams | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AgentPrompt:
        """
        Show the messages that a model would receive.

        For an agent, or for a configuration that is not saved, and an input. Policies judge the input as that of a
        run, but for rules that ask a model or a host, and the answer holds what they leave of it. No model is
        called, and nothing is stored.

        Requires the scope `agents:read`.

        Args:
            input: The input of a run.
            agent_id: Omitted: only `config` counts.
            version: Default: the newest released version.
            config: Replaces fields of the agent, or describes one that is not saved.
        """
        call = Call(
            operations.AGENTS_PROMPT,
            [],
            {
                "input": input,
                "agent_id": agent_id,
                "version": version,
                "config": config,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AgentPrompt = await self._caller.record(models.AgentPrompt, call)
        return result

    def versions(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: int | Omit = OMIT,
        before: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.AgentVersion]:
        """
        List the versions of an agent.

        Newest first. `after` and `before` are version numbers.

        Requires the scope `agents:read`.

        Args:
            id: The id of an agent.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.AGENTS_VERSIONS,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.AgentVersion] = self._caller.page(models.AgentVersion, call)
        return result

    async def version(
        self,
        id: str,
        version: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AgentVersion:
        """
        Get one version of an agent.

        Requires the scope `agents:read`.

        Args:
            id: The id of an agent.
            version: The number of a version.
        """
        call = Call(
            operations.AGENTS_VERSION,
            [id, version],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AgentVersion = await self._caller.record(models.AgentVersion, call)
        return result

    async def diff(
        self,
        id: str,
        version: int,
        *,
        to: int,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AgentDiff:
        """
        Compare two versions of an agent.

        Requires the scope `agents:read`.

        Args:
            id: The id of an agent.
            version: The number of a version.
            to: The version to compare with.
        """
        call = Call(
            operations.AGENTS_DIFF,
            [id, version],
            {
                "to": to,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AgentDiff = await self._caller.record(models.AgentDiff, call)
        return result

    async def stats(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AgentStats:
        """
        Count the active runs of an agent by state.

        Requires the scope `agents:read`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of an agent.
        """
        call = Call(
            operations.AGENTS_STATS,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AgentStats = await self._caller.record(models.AgentStats, call)
        return result


class AsyncAgentsWithRawResponse:
    def __init__(self, agents: AsyncAgents) -> None:
        raw = AsyncAgents(agents._caller.raw())
        self.list = async_raw_list(raw.list)
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)
        self.archive = async_raw_method(raw.archive)
        self.unarchive = async_raw_method(raw.unarchive)
        self.rotate_signing_secret = async_raw_method(raw.rotate_signing_secret)
        self.hire = async_raw_method(raw.hire)
        self.create = async_raw_method(raw.create)
        self.prompt = async_raw_method(raw.prompt)
        self.versions = async_raw_list(raw.versions)
        self.version = async_raw_method(raw.version)
        self.diff = async_raw_method(raw.diff)
        self.stats = async_raw_method(raw.stats)


class AsyncCatalog(AsyncResource):
    """Agents that can be hired."""

    @property
    def with_raw_response(self) -> AsyncCatalogWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncCatalogWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        q: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.CatalogAgent]:
        """
        List catalog agents.

        Requires the scope `agents:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            q: Text to search for.
        """
        call = Call(
            operations.CATALOG_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "q": q,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.CatalogAgent] = self._caller.page(models.CatalogAgent, call)
        return result

    async def get(
        self,
        key: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.CatalogAgent:
        """
        Get a catalog agent by key.

        Requires the scope `agents:read`.

        Args:
            key: The key of a catalog agent.
        """
        call = Call(
            operations.CATALOG_GET,
            [key],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.CatalogAgent = await self._caller.record(models.CatalogAgent, call)
        return result


class AsyncCatalogWithRawResponse:
    def __init__(self, catalog: AsyncCatalog) -> None:
        raw = AsyncCatalog(catalog._caller.raw())
        self.list = async_raw_list(raw.list)
        self.get = async_raw_method(raw.get)


class AsyncModels(AsyncResource):
    """Models that agents can use."""

    @property
    def with_raw_response(self) -> AsyncModelsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncModelsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        q: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Model]:
        """
        List the models that agents can use.

        The models that the operator configured, and the simulated models unless they are switched off. By id.

        Requires the scope `agents:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            q: Text to search for in the id.
        """
        call = Call(
            operations.MODELS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "q": q,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Model] = self._caller.page(models.Model, call)
        return result


class AsyncModelsWithRawResponse:
    def __init__(self, models: AsyncModels) -> None:
        raw = AsyncModels(models._caller.raw())
        self.list = async_raw_list(raw.list)


class AsyncProviderKeys(AsyncResource):
    """Operations on providerKeys."""

    @property
    def with_raw_response(self) -> AsyncProviderKeysWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncProviderKeysWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.ProviderKey]:
        """
        List the keys of model providers.

        Those that the organisation has entered. Keys of the operator are not listed.

        Requires the scope `keys:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.PROVIDER_KEYS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.ProviderKey] = self._caller.page(models.ProviderKey, call)
        return result

    async def set(
        self,
        *,
        provider: params.KeyedProvider,
        key: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.ProviderKey:
        """
        Enter the key of a model provider.

        All models of the provider can be used at once, and its calls are charged to the account of this key instead
        of that of the operator. The key is stored encrypted. A key that was entered before is replaced. The account
        of the key receives what runs send to the provider, so it needs `runs:read`.

        Requires the scopes `keys:write` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot
        call it. A short-lived token cannot call it.

        Args:
            provider: A vendor of models whose key an organisation can enter.
            key: The API key of the vendor.
        """
        call = Call(
            operations.PROVIDER_KEYS_SET,
            [],
            {
                "provider": provider,
                "key": key,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.ProviderKey = await self._caller.record(models.ProviderKey, call)
        return result

    async def delete(
        self,
        id: params.KeyedProvider,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.DeletedProviderKey:
        """
        Delete the key of a model provider.

        The next model call uses the key of the operator, or fails if there is none. Deleting again has no effect.

        Requires the scope `keys:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: A vendor of models whose key an organisation can enter.
        """
        call = Call(
            operations.PROVIDER_KEYS_DELETE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.DeletedProviderKey = await self._caller.record(models.DeletedProviderKey, call)
        return result


class AsyncProviderKeysWithRawResponse:
    def __init__(self, provider_keys: AsyncProviderKeys) -> None:
        raw = AsyncProviderKeys(provider_keys._caller.raw())
        self.list = async_raw_list(raw.list)
        self.set = async_raw_method(raw.set)
        self.delete = async_raw_method(raw.delete)


class AsyncDeployments(AsyncResource):
    """Released versions of agents: promote and roll back."""

    @property
    def with_raw_response(self) -> AsyncDeploymentsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncDeploymentsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        status: params.DeploymentStatus | Sequence[params.DeploymentStatus] | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Deployment]:
        """
        List deployments.

        Requires the scope `agents:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            agent_id: The id of an agent.
            status: One or more of active, canary, superseded, rolled_back, separated by commas.
        """
        call = Call(
            operations.DEPLOYMENTS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "agent_id": agent_id,
                "status": status,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Deployment] = self._caller.page(models.Deployment, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Deployment:
        """
        Get a deployment by id.

        Requires the scope `agents:read`.

        Args:
            id: The id of a deployment.
        """
        call = Call(
            operations.DEPLOYMENTS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Deployment = await self._caller.record(models.Deployment, call)
        return result

    async def compare(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.DeploymentComparison:
        """
        Compare a canary with the running version.

        Returns the figures by which the rollback rules are evaluated, for the canary and for the running version.
        For a deployment that is no canary any more, the window ends when it was promoted or rolled back.

        Requires the scope `agents:read`.

        Args:
            id: The id of a deployment.
        """
        call = Call(
            operations.DEPLOYMENTS_COMPARE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.DeploymentComparison = await self._caller.record(models.DeploymentComparison, call)
        return result

    async def promote(
        self,
        id: str,
        *,
        traffic_percent: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Deployment:
        """
        Promote a canary.

        Without a body the canary becomes the active version. With `traffic_percent` it stays a canary with that
        share of runs. Promoting an active deployment has no effect.

        Requires the scope `agents:write`.

        Args:
            id: The id of a deployment.
            traffic_percent: The new share of runs. Omitted: the canary becomes active.
        """
        call = Call(
            operations.DEPLOYMENTS_PROMOTE,
            [id],
            {
                "traffic_percent": traffic_percent,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Deployment = await self._caller.record(models.Deployment, call)
        return result

    async def rollback(
        self,
        id: str,
        *,
        reason: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Deployment:
        """
        Roll a deployment back.

        Rolling back a canary returns all new runs to the active version. Rolling back an active deployment deploys
        the previous version, as a new deployment with the source `rollback`. Active runs finish on their version.
        Rolling back again has no effect.

        Requires the scope `agents:write`.

        Args:
            id: The id of a deployment.
            reason: The reason; it is recorded.
        """
        call = Call(
            operations.DEPLOYMENTS_ROLLBACK,
            [id],
            {
                "reason": reason,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Deployment = await self._caller.record(models.Deployment, call)
        return result


class AsyncDeploymentsWithRawResponse:
    def __init__(self, deployments: AsyncDeployments) -> None:
        raw = AsyncDeployments(deployments._caller.raw())
        self.list = async_raw_list(raw.list)
        self.get = async_raw_method(raw.get)
        self.compare = async_raw_method(raw.compare)
        self.promote = async_raw_method(raw.promote)
        self.rollback = async_raw_method(raw.rollback)


class AsyncConnectors(AsyncResource):
    """MCP servers whose tools agents can use."""

    @property
    def with_raw_response(self) -> AsyncConnectorsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncConnectorsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Connector]:
        """
        List connectors.

        Requires the scope `connectors:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.CONNECTORS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Connector] = self._caller.page(models.Connector, call)
        return result

    async def create(
        self,
        *,
        name: str,
        url: str,
        auth: params.ConnectorAuthInputParams | Omit = OMIT,
        approve_tools: bool | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Connector:
        """
        Add a connector.

        Adds an MCP server whose tools the agents of the organisation can use. The service lists the tools once and
        approves them in your name, unless `approve_tools` is false. If the server cannot be reached, the connector
        is created without tools and `tools_error` has the reason; refresh it later.

        Requires the scopes `connectors:write` and `runs:read`. A key that is narrowed to agents, or a demo key,
        cannot call it.

        Args:
            name: The name of the connector.
            url: An MCP server with streamable HTTP: HTTPS on a public host.
            auth: How the service authenticates at the server. Default: no authentication.
            approve_tools: Whether you approve the tools that the server lists now. Default: true. Tools whose names
            are easily confused with one another are never approved in this way.
        """
        call = Call(
            operations.CONNECTORS_CREATE,
            [],
            {
                "name": name,
                "url": url,
                "auth": auth,
                "approve_tools": approve_tools,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Connector = await self._caller.record(models.Connector, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Connector:
        """
        Get a connector by id.

        Requires the scope `connectors:read`.

        Args:
            id: The id of a connector.
        """
        call = Call(
            operations.CONNECTORS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Connector = await self._caller.record(models.Connector, call)
        return result

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        url: str | Omit = OMIT,
        auth: params.ConnectorAuthInputParams | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Connector:
        """
        Change a connector.

        Changes the name, the address or the credential. After a change of the address all tools wait for approval
        again, and a key that changed it cannot approve them.

        Requires the scope `connectors:write`. Requires `runs:read` too if `url` is set. A key that is narrowed to
        agents, or a demo key, cannot call it.

        Args:
            id: The id of a connector.
            name: The name of the connector.
            url: Another address is another server: all tools wait for approval again.
            auth: Replaces the credential. Required with a new `url` if the connector has a credential.
        """
        call = Call(
            operations.CONNECTORS_UPDATE,
            [id],
            {
                "name": name,
                "url": url,
                "auth": auth,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Connector = await self._caller.record(models.Connector, call)
        return result

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Connector:
        """
        Delete a connector.

        Deletes the connector and its credential. Active runs that use it fail with `tool_error` at their next step.

        Requires the scope `connectors:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a connector.
        """
        call = Call(
            operations.CONNECTORS_DELETE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Connector = await self._caller.record(models.Connector, call)
        return result

    async def refresh(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.RefreshedConnector:
        """
        List the tools of a connector again.

        Asks the server for its tools now and returns those that are off. Nothing is approved.

        Requires the scope `connectors:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a connector.
        """
        call = Call(
            operations.CONNECTORS_REFRESH,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.RefreshedConnector = await self._caller.record(models.RefreshedConnector, call)
        return result

    def list_tools(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.ConnectorTool]:
        """
        List the tools of a connector.

        All tools by name, with what was approved and what the server lists now. The list is not paged.

        Requires the scope `connectors:read`.

        Args:
            id: The id of a connector.
        """
        call = Call(
            operations.CONNECTORS_LIST_TOOLS,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.ConnectorTool] = self._caller.page(models.ConnectorTool, call)
        return result

    async def approve_tool(
        self,
        id: str,
        name: str,
        *,
        hash: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.ConnectorTool:
        """
        Approve a tool as it is listed now.

        Agents can use the tool from their next step. If the tool has changed since you read its hash, nothing is
        approved (`tool_changed`). The key that changed the address of the connector, and the keys that it created
        or was rotated to, cannot approve its tools: another key or a person does.

        Requires the scope `connectors:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a connector.
            name: The name of the tool.
            hash: The `hash` of the tool that you have read.
        """
        call = Call(
            operations.CONNECTORS_APPROVE_TOOL,
            [id, name],
            {
                "hash": hash,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.ConnectorTool = await self._caller.record(models.ConnectorTool, call)
        return result


class AsyncConnectorsWithRawResponse:
    def __init__(self, connectors: AsyncConnectors) -> None:
        raw = AsyncConnectors(connectors._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)
        self.delete = async_raw_method(raw.delete)
        self.refresh = async_raw_method(raw.refresh)
        self.list_tools = async_raw_list(raw.list_tools)
        self.approve_tool = async_raw_method(raw.approve_tool)


class AsyncWebhooks(WebhookReceiver, AsyncResource):
    """Endpoints that receive events, and their deliveries."""

    @property
    def with_raw_response(self) -> AsyncWebhooksWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncWebhooksWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        status: params.WebhooksListStatus | Sequence[params.WebhooksListStatus] | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Webhook]:
        """
        List webhooks.

        Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            status: One or more of healthy, failing, disabled, separated by commas.
        """
        call = Call(
            operations.WEBHOOKS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "status": status,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Webhook] = self._caller.page(models.Webhook, call)
        return result

    async def create(
        self,
        *,
        url: str,
        events: Sequence[str],
        secret: str | Omit = OMIT,
        active: bool | Omit = OMIT,
        description: str | Omit | None = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.WebhookWithSecret:
        """
        Register a webhook.

        Requires the scope `webhooks:write`. Requires `runs:read` too if `events` is or contains `*`,
        `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action`, `run.cancelled`,
        `schedule.paused` or `batch.completed`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            url: HTTPS on a public host, port 443 or a port that the operator allows.
            events: Event types; `*` selects all.
            secret: Your own signing secret, `whsec_…`. If omitted, the service creates one.
            active: Whether deliveries are sent. Default: true.
            description: Your own note.
        """
        call = Call(
            operations.WEBHOOKS_CREATE,
            [],
            {
                "url": url,
                "events": events,
                "secret": secret,
                "active": active,
                "description": description,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.WebhookWithSecret = await self._caller.record(models.WebhookWithSecret, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Webhook:
        """
        Get a webhook by id.

        Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
        """
        call = Call(
            operations.WEBHOOKS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Webhook = await self._caller.record(models.Webhook, call)
        return result

    async def update(
        self,
        id: str,
        *,
        url: str | Omit = OMIT,
        events: Sequence[str] | Omit = OMIT,
        active: bool | Omit = OMIT,
        description: str | Omit | None = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Webhook:
        """
        Change, pause or enable a webhook.

        Requires the scope `webhooks:write`. Requires `runs:read` too if `events` is or contains `*`,
        `run.completed`, `run.failed`, `pipeline.completed`, `run.requires_action`, `run.cancelled`,
        `schedule.paused` or `batch.completed`. Requires `runs:read` too if the webhook gets events of runs and its
        `url` changes. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            url: HTTPS on a public host, port 443 or a port that the operator allows.
            events: Event types; `*` selects all.
            active: False pauses the webhook. True also enables a webhook that the service has disabled.
            description: Your own note.
        """
        call = Call(
            operations.WEBHOOKS_UPDATE,
            [id],
            {
                "url": url,
                "events": events,
                "active": active,
                "description": description,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Webhook = await self._caller.record(models.Webhook, call)
        return result

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Webhook:
        """
        Delete a webhook.

        Nothing more is sent to it. Its deliveries are deleted too.

        Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
        """
        call = Call(
            operations.WEBHOOKS_DELETE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Webhook = await self._caller.record(models.Webhook, call)
        return result

    async def rotate_secret(
        self,
        id: str,
        *,
        secret: str | Omit = OMIT,
        overlap_hours: int | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.WebhookWithSecret:
        """
        Replace the signing secret.

        For `overlap_hours`, `webhook-signature` contains both signatures and `X-SERVICE-Signature` uses the old
        secret. 0 switches immediately. After a second rotation within this time, the secret before it is the old
        one.

        Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            secret: Your own signing secret, `whsec_…`. If omitted, the service creates one.
            overlap_hours: Hours for which the old secret signs too.
        """
        call = Call(
            operations.WEBHOOKS_ROTATE_SECRET,
            [id],
            {
                "secret": secret,
                "overlap_hours": overlap_hours,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.WebhookWithSecret = await self._caller.record(models.WebhookWithSecret, call)
        return result

    async def test(
        self,
        id: str,
        *,
        event_type: str | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Delivery:
        """
        Send a test event.

        Sends an event of type `test` to this webhook only. With `event_type`, sends a sample of that type; its ids
        consist of zeros and refer to nothing. Every test carries the header `X-SERVICE-Test: true`. It is signed,
        retried and recorded like any other event.

        Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            event_type: The type of the sample. Default: `test`.
        """
        call = Call(
            operations.WEBHOOKS_TEST,
            [id],
            {
                "event_type": event_type,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Delivery = await self._caller.record(models.Delivery, call)
        return result

    def deliveries(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        status: params.DeliveryStatus | Sequence[params.DeliveryStatus] | Omit = OMIT,
        event_id: str | Omit = OMIT,
        event_type: params.EventType | Sequence[params.EventType] | Omit = OMIT,
        created_after: datetime | Omit = OMIT,
        created_before: datetime | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Delivery]:
        """
        List the deliveries of a webhook.

        Newest first, with attempts. Get a single delivery to see the request bodies. Without `runs:read`, requests
        and responses of events that hold data of runs are null.

        Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            status: One or more of pending, succeeded, failed, separated by commas.
            event_id: Only deliveries of this event.
            event_type: One or more types, separated by commas.
            created_after: Only items that were created at or after this time.
            created_before: Only items that were created before this time.
        """
        call = Call(
            operations.WEBHOOKS_DELIVERIES,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "status": status,
                "event_id": event_id,
                "event_type": event_type,
                "created_after": created_after,
                "created_before": created_before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Delivery] = self._caller.page(models.Delivery, call)
        return result

    async def delivery(
        self,
        id: str,
        delivery_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Delivery:
        """
        Get a delivery with requests and responses.

        Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            delivery_id: The id of a delivery.
        """
        call = Call(
            operations.WEBHOOKS_DELIVERY,
            [id, delivery_id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Delivery = await self._caller.record(models.Delivery, call)
        return result

    async def redeliver(
        self,
        id: str,
        delivery_id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Delivery:
        """
        Send an event again.

        Creates a new delivery of the same event, with the same event id and body and three attempts.

        Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            delivery_id: The id of a delivery.
        """
        call = Call(
            operations.WEBHOOKS_REDELIVER,
            [id, delivery_id],
            None,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Delivery = await self._caller.record(models.Delivery, call)
        return result

    def missed(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        created_after: datetime | Omit = OMIT,
        created_before: datetime | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Event]:
        """
        List events that a webhook never acknowledged.

        Lists events of the subscribed types, since the webhook was created, without a successful or pending
        delivery. Newest first. When a long time range is searched, a page can contain few events or none although
        `has_more` is true: continue after `last_id`.

        Requires the scope `webhooks:read`. Requires `runs:read` too if the webhook gets events of runs. A key that
        is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            created_after: Only items that were created at or after this time.
            created_before: Only items that were created before this time.
        """
        call = Call(
            operations.WEBHOOKS_MISSED,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "created_after": created_after,
                "created_before": created_before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Event] = self._caller.page(models.Event, call)
        return result

    async def recover(
        self,
        id: str,
        *,
        since: datetime,
        until: datetime | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Recovery:
        """
        Deliver missed events.

        Delivers every event between `since` and `until` that the webhook has not acknowledged, oldest first, with
        its original id. The recovery runs in the background; read its progress or cancel it.

        Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            since: The start of the time that is searched.
            until: Default: now.
        """
        call = Call(
            operations.WEBHOOKS_RECOVER,
            [id],
            {
                "since": since,
                "until": until,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Recovery = await self._caller.record(models.Recovery, call)
        return result

    def recoveries(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Recovery]:
        """
        List the recoveries of a webhook.

        Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.WEBHOOKS_RECOVERIES,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Recovery] = self._caller.page(models.Recovery, call)
        return result

    async def recovery(
        self,
        id: str,
        recovery_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Recovery:
        """
        Get the progress of a recovery.

        Requires the scope `webhooks:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            recovery_id: The id of a recovery.
        """
        call = Call(
            operations.WEBHOOKS_RECOVERY,
            [id, recovery_id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Recovery = await self._caller.record(models.Recovery, call)
        return result

    async def cancel_recovery(
        self,
        id: str,
        recovery_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Recovery:
        """
        Cancel a recovery.

        No more events are checked, and deliveries that were not sent yet are dropped. Cancelling again has no
        effect.

        Requires the scope `webhooks:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a webhook.
            recovery_id: The id of a recovery.
        """
        call = Call(
            operations.WEBHOOKS_CANCEL_RECOVERY,
            [id, recovery_id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Recovery = await self._caller.record(models.Recovery, call)
        return result


class AsyncWebhooksWithRawResponse:
    def __init__(self, webhooks: AsyncWebhooks) -> None:
        raw = AsyncWebhooks(webhooks._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)
        self.delete = async_raw_method(raw.delete)
        self.rotate_secret = async_raw_method(raw.rotate_secret)
        self.test = async_raw_method(raw.test)
        self.deliveries = async_raw_list(raw.deliveries)
        self.delivery = async_raw_method(raw.delivery)
        self.redeliver = async_raw_method(raw.redeliver)
        self.missed = async_raw_list(raw.missed)
        self.recover = async_raw_method(raw.recover)
        self.recoveries = async_raw_list(raw.recoveries)
        self.recovery = async_raw_method(raw.recovery)
        self.cancel_recovery = async_raw_method(raw.cancel_recovery)


class AsyncEvents(AsyncResource):
    """Events of the organisation."""

    @property
    def with_raw_response(self) -> AsyncEventsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncEventsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        type: params.EventsListType | Sequence[params.EventsListType] | Omit = OMIT,
        created_after: datetime | Omit = OMIT,
        created_before: datetime | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Event]:
        """
        List events.

        Lists the events that webhooks receive, without test events. A page of large events can contain fewer than
        `limit`; `has_more` says whether more follow. Without `runs:read` it leaves out the events that hold data of
        runs.

        Requires the scope `events:read`. Requires `runs:read` too if `type` is or contains `run.completed`,
        `run.failed`, `pipeline.completed`, `run.requires_action`, `run.cancelled`, `schedule.paused` or
        `batch.completed`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            type: One or more types, separated by commas.
            created_after: Only items that were created at or after this time.
            created_before: Only items that were created before this time.
        """
        call = Call(
            operations.EVENTS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "type": type,
                "created_after": created_after,
                "created_before": created_before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Event] = self._caller.page(models.Event, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Event:
        """
        Get an event by id.

        Requires the scope `events:read`. Requires `runs:read` too if the event is about a run. A key that is
        narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of an event.
        """
        call = Call(
            operations.EVENTS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Event = await self._caller.record(models.Event, call)
        return result

    def watch(
        self,
        *,
        type: params.EventsListType | Sequence[params.EventsListType] | Omit = OMIT,
        after: str | Omit = OMIT,
        since: datetime | Omit = OMIT,
        last_event_id: str | None = None,
        idle_timeout: float | None = None,
        resume_for: float | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncStream[models.Event]:
        """
        Stream events as they happen.

        For programs without a public endpoint. Each frame is one event: `id` is its id, `event` its type, `data`
        the envelope. To resume without gaps, send the last event id in `Last-Event-ID` or `after`. `since` starts
        in the past. Without these, the stream starts now. Without `runs:read` the stream leaves out the events that
        hold data of runs.

        Requires the scope `events:read`. Requires `runs:read` too if `type` is or contains `run.completed`,
        `run.failed`, `pipeline.completed`, `run.requires_action`, `run.cancelled`, `schedule.paused` or
        `batch.completed`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            type: One or more types, separated by commas.
            after: Returns the events after this id. Equivalent to the header `Last-Event-ID`.
            since: Returns events since this time.
        """
        call = Call(
            operations.EVENTS_WATCH,
            [],
            {
                "type": type,
                "after": after,
                "since": since,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        plan = StreamPlan(
            call,
            resumed_by=operations.EVENTS_WATCH,
            ends=False,
            frame=models.Event,
            run=models.Run,
            last_event_id=last_event_id,
            idle_timeout=idle_timeout,
            resume_for=resume_for,
        )
        return self._caller.event_stream(plan)


class AsyncEventsWithRawResponse:
    def __init__(self, events: AsyncEvents) -> None:
        raw = AsyncEvents(events._caller.raw())
        self.list = async_raw_list(raw.list)
        self.get = async_raw_method(raw.get)


class AsyncApiKeys(AsyncResource):
    """Credentials for programs."""

    @property
    def with_raw_response(self) -> AsyncApiKeysWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncApiKeysWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        created_by: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.ApiKey]:
        """
        List API keys.

        Includes revoked and expired keys. The complete key is never shown again. A key that is narrowed to agents
        gets the keys that are for no other agents.

        Requires the scope `keys:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            created_by: Only keys that this key or person created.
        """
        call = Call(
            operations.API_KEYS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "created_by": created_by,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.ApiKey] = self._caller.page(models.ApiKey, call)
        return result

    async def create(
        self,
        *,
        name: str,
        scopes: Sequence[str],
        kind: params.ApiKeyKind | Omit = OMIT,
        agent_ids: Sequence[str] | Omit | None = OMIT,
        expires_at: datetime | Omit | None = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.CreatedApiKey:
        """
        Create an API key.

        Only this response contains the complete key. You can grant only scopes and agents that your own credential
        holds, and no longer than it lives.

        Requires the scope `keys:write`. A short-lived token cannot call it.

        Args:
            name: The name of the key, for people.
            scopes: One or more of runs:read, runs:write, runs:approve, runs:erase, runs:share, agents:read,
            agents:write, webhooks:read, webhooks:write, keys:read, keys:write, usage:read, analytics:read,
            pipelines:read, pipelines:write, schedules:read, schedules:write, policies:read, policies:write,
            connectors:read, connectors:write, alerts:read, alerts:write, events:read, audit:read, members:write.
            There is no wildcard.
            kind: Default: `live`. A demo key has low limits, cannot use connectors, and sees only the runs that it
            created.
            agent_ids: Limits the key to these agents. Null or omitted: all agents of the organisation.
            expires_at: When the key stops working. Null or omitted: never. A key that ends can only create keys
            that end no later; the organisation may limit the lifetime.
        """
        call = Call(
            operations.API_KEYS_CREATE,
            [],
            {
                "name": name,
                "scopes": scopes,
                "kind": kind,
                "agent_ids": agent_ids,
                "expires_at": expires_at,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.CreatedApiKey = await self._caller.record(models.CreatedApiKey, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.ApiKey:
        """
        Get an API key by id.

        Requires the scope `keys:read`.

        Args:
            id: The id of an API key.
        """
        call = Call(
            operations.API_KEYS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.ApiKey = await self._caller.record(models.ApiKey, call)
        return result

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        scopes: Sequence[str] | Omit = OMIT,
        agent_ids: Sequence[str] | Omit | None = OMIT,
        expires_at: datetime | Omit | None = OMIT,
        monthly_budget_usd: float | Omit | None = OMIT,
        budget_action: params.BudgetAction | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.ApiKey:
        """
        Change an API key.

        Omitted fields stay unchanged; null clears `agent_ids` and `expires_at`. Takes effect everywhere within 5
        seconds. A key that ends cannot extend the permissions or the life of a key beyond its own end. No key can
        change its own budget.

        Requires the scope `keys:write`. A short-lived token cannot call it.

        Args:
            id: The id of an API key.
            name: The name of the key, for people.
            scopes: The permissions of the key. There is no wildcard.
            agent_ids: Limits the key to these agents. Null or omitted: all agents of the organisation.
            expires_at: When the key stops working. Null or omitted: never. A key that ends can only create keys
            that end no later; the organisation may limit the lifetime.
            monthly_budget_usd: US dollars a month, UTC; null: none.
            budget_action: `refuse`: new runs are rejected. `park`: runs wait before their next model call.
            `notify`: only events are sent.
        """
        call = Call(
            operations.API_KEYS_UPDATE,
            [id],
            {
                "name": name,
                "scopes": scopes,
                "agent_ids": agent_ids,
                "expires_at": expires_at,
                "monthly_budget_usd": monthly_budget_usd,
                "budget_action": budget_action,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.ApiKey = await self._caller.record(models.ApiKey, call)
        return result

    async def revoke(
        self,
        id: str,
        *,
        descendants: params.ApiKeysRevokeDescendants | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.RevokedApiKey:
        """
        Revoke an API key.

        The key stops working everywhere within 5 seconds, permanently. Revoking it again has no effect. Its tokens
        end with it; with `descendants=true` so do the keys below it: those that it created, its successor after a
        rotation, and theirs.

        Requires the scope `keys:write`. A short-lived token cannot call it.

        Args:
            id: The id of an API key.
            descendants: Whether to revoke the keys below this one as well.
        """
        call = Call(
            operations.API_KEYS_REVOKE,
            [id],
            {
                "descendants": descendants,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.RevokedApiKey = await self._caller.record(models.RevokedApiKey, call)
        return result

    async def rotate(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.CreatedApiKey:
        """
        Rotate an API key.

        Returns a new key with the same name, scopes, agents and expiry (earlier if the organisation limits the
        lifetime). The old key works for another 24 hours, with `Deprecation` and `Sunset` in every response. Both
        keys share one rate limit.

        Requires the scope `keys:write`. A short-lived token cannot call it.

        Args:
            id: The id of an API key.
        """
        call = Call(
            operations.API_KEYS_ROTATE,
            [id],
            None,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.CreatedApiKey = await self._caller.record(models.CreatedApiKey, call)
        return result


class AsyncApiKeysWithRawResponse:
    def __init__(self, api_keys: AsyncApiKeys) -> None:
        raw = AsyncApiKeys(api_keys._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)
        self.revoke = async_raw_method(raw.revoke)
        self.rotate = async_raw_method(raw.rotate)


class AsyncSessionTokens(AsyncResource):
    """Short-lived tokens for browsers."""

    @property
    def with_raw_response(self) -> AsyncSessionTokensWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncSessionTokensWithRawResponse(self)

    async def create(
        self,
        *,
        scopes: Sequence[str],
        run_id: str | Omit = OMIT,
        expires_in: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.SessionToken:
        """
        Create a short-lived token.

        For browsers. The token has a subset of the creator’s scopes and stops working when the creator’s key is
        revoked or the session ends. With it, a page of any origin can read, stream and cancel a run and send
        actions. Decisions need `runs:approve`.

        Requires any valid credential: an API key, a browser session or a short-lived token. A short-lived token
        cannot call it.

        Args:
            scopes: The permissions of the key. There is no wildcard.
            run_id: Limits the token to this run. Omitted: the token sees only the runs that it creates itself.
            expires_in: Lifetime in seconds.
        """
        call = Call(
            operations.SESSION_TOKENS_CREATE,
            [],
            {
                "scopes": scopes,
                "run_id": run_id,
                "expires_in": expires_in,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.SessionToken = await self._caller.record(models.SessionToken, call)
        return result


class AsyncSessionTokensWithRawResponse:
    def __init__(self, session_tokens: AsyncSessionTokens) -> None:
        raw = AsyncSessionTokens(session_tokens._caller.raw())
        self.create = async_raw_method(raw.create)


class AsyncAuth(AsyncResource):
    """Login, logout, invitations and passwords."""

    @property
    def with_raw_response(self) -> AsyncAuthWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncAuthWithRawResponse(self)

    async def login(
        self,
        *,
        email: str,
        password: str,
        organisation_id: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Session:
        """
        Log in.

        Starts a session and sets its cookie. A failed login returns the same error for an unknown account and a
        wrong password. After too many attempts it returns 429 for a while, whether or not the account exists. A
        browser that has logged in before has separate attempts, which others cannot use up.

        Requires no credential. Also served at the root, without the base path.

        Args:
            email: Case and surrounding spaces are ignored.
            password: The current password.
            organisation_id: The organisation that the session acts for. Default: the one that you joined first.
            Name it if your address has accounts in several organisations: without it, two of them are tried.
        """
        call = Call(
            operations.AUTH_LOGIN,
            [],
            {
                "email": email,
                "password": password,
                "organisation_id": organisation_id,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Session = await self._caller.record(models.Session, call)
        return result

    async def logout(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.SessionRecord:
        """
        Log out.

        Ends the session of the cookie. Keys cannot log out; revoke them instead.

        Requires a browser session. Also served at the root, without the base path.
        """
        call = Call(
            operations.AUTH_LOGOUT,
            [],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.SessionRecord = await self._caller.record(models.SessionRecord, call)
        return result

    async def me(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Me:
        """
        Show the current credential.

        Returns the person or key, the organisation and the scopes.

        Requires any valid credential: an API key, a browser session or a short-lived token. Also served at the
        root, without the base path.
        """
        call = Call(
            operations.AUTH_ME,
            [],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Me = await self._caller.record(models.Me, call)
        return result

    async def update_me(
        self,
        *,
        name: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Session:
        """
        Change your name.

        Changes the name of the person of the session, in all organisations of the person.

        Requires a browser session. Also served at the root, without the base path.

        Args:
            name: Your name.
        """
        call = Call(
            operations.AUTH_UPDATE_ME,
            [],
            {
                "name": name,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Session = await self._caller.record(models.Session, call)
        return result

    async def switch_organisation(
        self,
        *,
        organisation_id: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Session:
        """
        Switch to another of your organisations.

        Ends this session and starts one for the other organisation, with the same end.

        Requires a browser session.

        Args:
            organisation_id: The id of an organisation.
        """
        call = Call(
            operations.AUTH_SWITCH_ORGANISATION,
            [],
            {
                "organisation_id": organisation_id,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Session = await self._caller.record(models.Session, call)
        return result

    async def change_password(
        self,
        *,
        current_password: str,
        new_password: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Session:
        """
        Change your password.

        Ends all your other sessions. This session gets a new cookie.

        Requires a browser session.

        Args:
            current_password: The current password.
            new_password: 12 to 1000 characters of any kind.
        """
        call = Call(
            operations.AUTH_CHANGE_PASSWORD,
            [],
            {
                "current_password": current_password,
                "new_password": new_password,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Session = await self._caller.record(models.Session, call)
        return result

    async def reset_password(
        self,
        *,
        token: str,
        password: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PasswordReset:
        """
        Set a new password with a link.

        Ends all your sessions. The link works once.

        Requires no credential.

        Args:
            token: The part of the link after `#token=`.
            password: 12 to 1000 characters of any kind.
        """
        call = Call(
            operations.AUTH_RESET_PASSWORD,
            [],
            {
                "token": token,
                "password": password,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PasswordReset = await self._caller.record(models.PasswordReset, call)
        return result

    async def send_email_proof(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.EmailProof:
        """
        Get a mail that proves your address.

        Sends a link to your e-mail address. It works once, for 24 hours, in a session of your account. Only proven
        addresses get other mails. If the address is proven, nothing is sent.

        Requires a browser session.
        """
        call = Call(
            operations.AUTH_SEND_EMAIL_PROOF,
            [],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.EmailProof = await self._caller.record(models.EmailProof, call)
        return result

    async def prove_email(
        self,
        *,
        token: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.EmailProof:
        """
        Prove your address with a link.

        Requires a browser session.

        Args:
            token: The part of the link after `#token=`.
        """
        call = Call(
            operations.AUTH_PROVE_EMAIL,
            [],
            {
                "token": token,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.EmailProof = await self._caller.record(models.EmailProof, call)
        return result

    async def accept_invitation(
        self,
        *,
        token: str,
        password: str,
        name: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Session:
        """
        Accept an invitation.

        Makes you a member and logs you in. Without a session you choose a password, and a new account is created in
        this organisation only, even if your address has an account elsewhere. To join with the account that you
        have, log in first and send its password with the session cookie.

        Requires no credential.

        Args:
            token: The part of the link after `#token=`.
            password: 12 to 1000 characters of any kind.
            name: For a new account.
        """
        call = Call(
            operations.AUTH_ACCEPT_INVITATION,
            [],
            {
                "token": token,
                "password": password,
                "name": name,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Session = await self._caller.record(models.Session, call)
        return result


class AsyncAuthWithRawResponse:
    def __init__(self, auth: AsyncAuth) -> None:
        raw = AsyncAuth(auth._caller.raw())
        self.login = async_raw_method(raw.login)
        self.logout = async_raw_method(raw.logout)
        self.me = async_raw_method(raw.me)
        self.update_me = async_raw_method(raw.update_me)
        self.switch_organisation = async_raw_method(raw.switch_organisation)
        self.change_password = async_raw_method(raw.change_password)
        self.reset_password = async_raw_method(raw.reset_password)
        self.send_email_proof = async_raw_method(raw.send_email_proof)
        self.prove_email = async_raw_method(raw.prove_email)
        self.accept_invitation = async_raw_method(raw.accept_invitation)


class AsyncSessions(AsyncResource):
    """Browser sessions of the current person."""

    @property
    def with_raw_response(self) -> AsyncSessionsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncSessionsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.SessionRecord]:
        """
        List your sessions.

        Lists your active browser sessions in all your organisations.

        Requires a browser session.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.SESSIONS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.SessionRecord] = self._caller.page(models.SessionRecord, call)
        return result

    async def end(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.SessionRecord:
        """
        End one of your sessions.

        Requires a browser session.

        Args:
            id: The id of a session.
        """
        call = Call(
            operations.SESSIONS_END,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.SessionRecord = await self._caller.record(models.SessionRecord, call)
        return result


class AsyncSessionsWithRawResponse:
    def __init__(self, sessions: AsyncSessions) -> None:
        raw = AsyncSessions(sessions._caller.raw())
        self.list = async_raw_list(raw.list)
        self.end = async_raw_method(raw.end)


class AsyncOrganisation(AsyncResource):
    """The organisation of the credential, with its plan and limits."""

    @property
    def with_raw_response(self) -> AsyncOrganisationWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncOrganisationWithRawResponse(self)

    async def get(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.OrganisationDetails:
        """
        Show the organisation.

        Returns the organisation of the credential, with its plan and its limits.

        Requires any valid credential: an API key, a browser session or a short-lived token.
        """
        call = Call(
            operations.ORGANISATION_GET,
            [],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.OrganisationDetails = await self._caller.record(models.OrganisationDetails, call)
        return result

    async def update(
        self,
        *,
        name: str | Omit = OMIT,
        monthly_budget_usd: float | Omit | None = OMIT,
        budget_action: params.BudgetAction | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.OrganisationDetails:
        """
        Change the organisation.

        For owners and admins: its name and its budget. Plan and limits are set by the operator of the service.

        Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it. A
        short-lived token cannot call it.

        Args:
            name: The name of the organisation.
            monthly_budget_usd: US dollars a month, UTC; null: none.
            budget_action: `refuse`: new runs are rejected. `park`: runs wait before their next model call.
            `notify`: only events are sent.
        """
        call = Call(
            operations.ORGANISATION_UPDATE,
            [],
            {
                "name": name,
                "monthly_budget_usd": monthly_budget_usd,
                "budget_action": budget_action,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.OrganisationDetails = await self._caller.record(models.OrganisationDetails, call)
        return result


class AsyncOrganisationWithRawResponse:
    def __init__(self, organisation: AsyncOrganisation) -> None:
        raw = AsyncOrganisation(organisation._caller.raw())
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)


class AsyncMembers(AsyncResource):
    """Members of the organisation and invitations."""

    @property
    def with_raw_response(self) -> AsyncMembersWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncMembersWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Member]:
        """
        List members.

        Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.MEMBERS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Member] = self._caller.page(models.Member, call)
        return result

    def directory(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.MemberSummary]:
        """
        List the names of members.

        Returns the name and role of each member, without e-mail addresses, so that every page can name the person
        behind a `usr_…` id.

        Requires the scope `members:write`. A browser session needs no scope.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.MEMBERS_DIRECTORY,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.MemberSummary] = self._caller.page(models.MemberSummary, call)
        return result

    def invitations(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Invitation]:
        """
        List invitations.

        Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.MEMBERS_INVITATIONS,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Invitation] = self._caller.page(models.Invitation, call)
        return result

    async def invite(
        self,
        *,
        email: str,
        role: params.Role,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.CreatedInvitation:
        """
        Invite a person.

        Creates a link that works once, for 7 days. If `mailed` is false, pass it on yourself. A new invitation to
        the same address withdraws the earlier one. You cannot grant a role above your own.

        Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            email: Case and surrounding spaces are ignored.
            role: What a person can do in an organisation. Each role includes the roles after it.
        """
        call = Call(
            operations.MEMBERS_INVITE,
            [],
            {
                "email": email,
                "role": role,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.CreatedInvitation = await self._caller.record(models.CreatedInvitation, call)
        return result

    async def revoke_invitation(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Invitation:
        """
        Withdraw an invitation.

        Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of an invitation.
        """
        call = Call(
            operations.MEMBERS_REVOKE_INVITATION,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Invitation = await self._caller.record(models.Invitation, call)
        return result

    async def notifications(
        self,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Notifications:
        """
        Show what you get mails about.

        In the organisation of the session.

        Requires a browser session.
        """
        call = Call(
            operations.MEMBERS_NOTIFICATIONS,
            [],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Notifications = await self._caller.record(models.Notifications, call)
        return result

    async def update_notifications(
        self,
        *,
        kinds: Sequence[params.NotificationKind],
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Notifications:
        """
        Choose what you get mails about.

        Requires a browser session.

        Args:
            kinds: The kinds that you want. Default: for owners and admins all but `alert_info`; for others none.
        """
        call = Call(
            operations.MEMBERS_UPDATE_NOTIFICATIONS,
            [],
            {
                "kinds": kinds,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Notifications = await self._caller.record(models.Notifications, call)
        return result

    async def update(
        self,
        id: str,
        *,
        role: params.Role,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Member:
        """
        Change the role of a member.

        Takes effect within 5 seconds, also for open sessions.

        Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a member.
            role: What a person can do in an organisation. Each role includes the roles after it.
        """
        call = Call(
            operations.MEMBERS_UPDATE,
            [id],
            {
                "role": role,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Member = await self._caller.record(models.Member, call)
        return result

    async def remove(
        self,
        id: str,
        *,
        keys: params.MembersRemoveKeys | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Member:
        """
        Remove a member.

        Ends the person’s sessions in this organisation. While API keys that the person created are active, `keys`
        must say whether to revoke them, with all keys below them, or to keep them; otherwise the response is 422
        `keys_undecided`.

        Requires the scope `members:write`. Requires `keys:write` too if `keys` is or contains `revoke`. A key that
        is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a member.
            keys: What happens to the active API keys of the person.
        """
        call = Call(
            operations.MEMBERS_REMOVE,
            [id],
            {
                "keys": keys,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Member = await self._caller.record(models.Member, call)
        return result

    async def reset_password(
        self,
        *,
        member_id: str,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PasswordResetLink:
        """
        Create a link to set a new password.

        The link works once, for 24 hours, and invalidates earlier ones. A person can create it only for a member
        with a lower role. The operator can create one for everybody.

        Requires the scope `members:write`. A key that is narrowed to agents, or a demo key, cannot call it. Only a
        browser session can call it.

        Args:
            member_id: The member whose password is reset.
        """
        call = Call(
            operations.MEMBERS_RESET_PASSWORD,
            [],
            {
                "member_id": member_id,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PasswordResetLink = await self._caller.record(models.PasswordResetLink, call)
        return result


class AsyncMembersWithRawResponse:
    def __init__(self, members: AsyncMembers) -> None:
        raw = AsyncMembers(members._caller.raw())
        self.list = async_raw_list(raw.list)
        self.directory = async_raw_list(raw.directory)
        self.invitations = async_raw_list(raw.invitations)
        self.invite = async_raw_method(raw.invite)
        self.revoke_invitation = async_raw_method(raw.revoke_invitation)
        self.notifications = async_raw_method(raw.notifications)
        self.update_notifications = async_raw_method(raw.update_notifications)
        self.update = async_raw_method(raw.update)
        self.remove = async_raw_method(raw.remove)
        self.reset_password = async_raw_method(raw.reset_password)


class AsyncAlertDestinations(AsyncResource):
    """Operations on alertDestinations."""

    @property
    def with_raw_response(self) -> AsyncAlertDestinationsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncAlertDestinationsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.AlertDestination]:
        """
        List alert destinations.

        Requires the scope `alerts:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.ALERT_DESTINATIONS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.AlertDestination] = self._caller.page(models.AlertDestination, call)
        return result

    async def create(
        self,
        *,
        type: Literal["slack"],
        url: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AlertDestination:
        """
        Send alerts to a chat channel.

        Every alert that fires or resolves is posted there. At most 10 per organisation.

        Requires the scope `alerts:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            url: The URL is a secret: who has it can post to the channel.
        """
        call = Call(
            operations.ALERT_DESTINATIONS_CREATE,
            [],
            {
                "type": type,
                "url": url,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AlertDestination = await self._caller.record(models.AlertDestination, call)
        return result

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AlertDestination:
        """
        Delete an alert destination.

        Requires the scope `alerts:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of an alert destination.
        """
        call = Call(
            operations.ALERT_DESTINATIONS_DELETE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AlertDestination = await self._caller.record(models.AlertDestination, call)
        return result


class AsyncAlertDestinationsWithRawResponse:
    def __init__(self, alert_destinations: AsyncAlertDestinations) -> None:
        raw = AsyncAlertDestinations(alert_destinations._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.delete = async_raw_method(raw.delete)


class AsyncAuditLog(AsyncResource):
    """Administrative operations of the organisation."""

    @property
    def with_raw_response(self) -> AsyncAuditLogWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncAuditLogWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        actor: str | Omit = OMIT,
        action: str | Omit = OMIT,
        subject: str | Omit = OMIT,
        created_after: datetime | Omit = OMIT,
        created_before: datetime | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.AuditEntry]:
        """
        List audit log entries.

        Lists administrative operations with actor, address, and the values before and after. Entries are never
        changed or deleted. A key that is narrowed to agents gets its own entries, and those about its agents.

        Requires the scope `audit:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            actor: Entries of this API key or person.
            action: Entries with this action, such as `api_key.revoked`.
            subject: Entries about this resource.
            created_after: Only items that were created at or after this time.
            created_before: Only items that were created before this time.
        """
        call = Call(
            operations.AUDIT_LOG_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "actor": actor,
                "action": action,
                "subject": subject,
                "created_after": created_after,
                "created_before": created_before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.AuditEntry] = self._caller.page(models.AuditEntry, call)
        return result


class AsyncAuditLogWithRawResponse:
    def __init__(self, audit_log: AsyncAuditLog) -> None:
        raw = AsyncAuditLog(audit_log._caller.raw())
        self.list = async_raw_list(raw.list)


class AsyncUsage(AsyncResource):
    """Operations on usage."""

    @property
    def with_raw_response(self) -> AsyncUsageWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncUsageWithRawResponse(self)

    async def get(
        self,
        *,
        month: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Usage:
        """
        Show plan limits and monthly usage.

        With a key that is narrowed to some agents, the figures of runs are those of its agents.

        Requires the scope `usage:read`. A credential that sees only its own runs cannot call it.

        Args:
            month: A month of the last 13, UTC. Default: this month.
        """
        call = Call(
            operations.USAGE_GET,
            [],
            {
                "month": month,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Usage = await self._caller.record(models.Usage, call)
        return result


class AsyncUsageWithRawResponse:
    def __init__(self, usage: AsyncUsage) -> None:
        raw = AsyncUsage(usage._caller.raw())
        self.get = async_raw_method(raw.get)


class AsyncAnalytics(AsyncResource):
    """Operations on analytics."""

    @property
    def with_raw_response(self) -> AsyncAnalyticsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncAnalyticsWithRawResponse(self)

    async def get(
        self,
        *,
        from_: datetime | Omit = OMIT,
        to: datetime | Omit = OMIT,
        interval: params.AnalyticsInterval | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        agent_version: int | Omit = OMIT,
        api_key_id: str | Omit = OMIT,
        time_zone: str | Omit = OMIT,
        group_by: params.AnalyticsGetGroupBy | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Analytics:
        """
        Show how runs went.

        Totals, percentiles, a series and lists of a period, with the totals of the period before.

        Requires the scope `analytics:read`. A credential that sees only its own runs cannot call it.

        Args:
            from_: Default: 24 hours before `to`.
            to: Default: now.
            interval: Default: by the length of the period. Up to 24 hours by minute (of the last 8 days), 62 days
            by hour, 400 days by day.
            agent_id: Runs of this agent.
            agent_version: Needs `agent_id`.
            api_key_id: Runs that this API key created.
            time_zone: Where days begin. Default: UTC.
            group_by: Also by agent, version, error code or API key.
        """
        call = Call(
            operations.ANALYTICS_GET,
            [],
            {
                "from": from_,
                "to": to,
                "interval": interval,
                "agent_id": agent_id,
                "agent_version": agent_version,
                "api_key_id": api_key_id,
                "time_zone": time_zone,
                "group_by": group_by,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Analytics = await self._caller.record(models.Analytics, call)
        return result

    async def export(
        self,
        *,
        from_: datetime | Omit = OMIT,
        to: datetime | Omit = OMIT,
        interval: params.AnalyticsInterval | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        agent_version: int | Omit = OMIT,
        api_key_id: str | Omit = OMIT,
        time_zone: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AnalyticsExport:
        """
        Export the series as CSV.

        Returns `text/csv`, or JSON with the CSV in `content` to a client that accepts `application/json` by name.

        Requires the scope `analytics:read`. A credential that sees only its own runs cannot call it.

        Args:
            from_: Default: 24 hours before `to`.
            to: Default: now.
            interval: Default: by the length of the period. Up to 24 hours by minute (of the last 8 days), 62 days
            by hour, 400 days by day.
            agent_id: Runs of this agent.
            agent_version: Needs `agent_id`.
            api_key_id: Runs that this API key created.
            time_zone: Where days begin. Default: UTC.
        """
        call = Call(
            operations.ANALYTICS_EXPORT,
            [],
            {
                "from": from_,
                "to": to,
                "interval": interval,
                "agent_id": agent_id,
                "agent_version": agent_version,
                "api_key_id": api_key_id,
                "time_zone": time_zone,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AnalyticsExport = await self._caller.record(models.AnalyticsExport, call)
        return result


class AsyncAnalyticsWithRawResponse:
    def __init__(self, analytics: AsyncAnalytics) -> None:
        raw = AsyncAnalytics(analytics._caller.raw())
        self.get = async_raw_method(raw.get)
        self.export = async_raw_method(raw.export)


class AsyncAlertRules(AsyncResource):
    """Rules that watch figures, and previews of them."""

    @property
    def with_raw_response(self) -> AsyncAlertRulesWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncAlertRulesWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.AlertRule]:
        """
        List alert rules.

        Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            agent_id: The id of an agent.
        """
        call = Call(
            operations.ALERT_RULES_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "agent_id": agent_id,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.AlertRule] = self._caller.page(models.AlertRule, call)
        return result

    async def create(
        self,
        *,
        name: str,
        metric: params.AlertMetric,
        threshold: float,
        error_code: params.RunErrorCode | Omit | None = OMIT,
        agent_id: str | Omit | None = OMIT,
        operator: params.AlertOperator | Omit = OMIT,
        window_seconds: int | Omit = OMIT,
        for_seconds: int | Omit = OMIT,
        min_sample_size: int | Omit = OMIT,
        severity: params.AlertSeverity | Omit = OMIT,
        enabled: bool | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AlertRule:
        """
        Create an alert rule.

        The service evaluates the rule about every 10 seconds. When it fires, `alert.triggered` is sent once. It
        resolves when the value has stayed 10 % clear of the threshold, or absent, for the longest of its window,
        `for_seconds` and 5 minutes.

        Requires the scope `alerts:write`. A credential that sees only its own runs cannot call it.

        Args:
            name: The name of the rule.
            metric: The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares
            from 0 to 1. `action_waiting_minutes` is the age of the oldest decision that a run waits for.
            threshold: In the unit of the metric.
            error_code: For `error_code_count`: the failures that are counted.
            agent_id: The agent; null: the whole organisation.
            operator: The side of the threshold on which the rule fires.
            window_seconds: The time over which the value is computed: whole minutes.
            for_seconds: How long the value must be beyond the threshold before the rule fires.
            min_sample_size: For shares and percentiles: with fewer runs or deliveries, the window has no value.
            severity: How urgent it is.
            enabled: Whether it is evaluated.
        """
        call = Call(
            operations.ALERT_RULES_CREATE,
            [],
            {
                "name": name,
                "metric": metric,
                "threshold": threshold,
                "error_code": error_code,
                "agent_id": agent_id,
                "operator": operator,
                "window_seconds": window_seconds,
                "for_seconds": for_seconds,
                "min_sample_size": min_sample_size,
                "severity": severity,
                "enabled": enabled,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AlertRule = await self._caller.record(models.AlertRule, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AlertRule:
        """
        Get an alert rule by id.

        Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of an alert rule.
        """
        call = Call(
            operations.ALERT_RULES_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AlertRule = await self._caller.record(models.AlertRule, call)
        return result

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        operator: params.AlertOperator | Omit = OMIT,
        threshold: float | Omit = OMIT,
        window_seconds: int | Omit = OMIT,
        for_seconds: int | Omit = OMIT,
        min_sample_size: int | Omit = OMIT,
        severity: params.AlertSeverity | Omit = OMIT,
        enabled: bool | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AlertRule:
        """
        Change or disable an alert rule.

        If more than name or severity changes, the rule starts again in state `ok` and its alert is resolved.

        Requires the scope `alerts:write`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of an alert rule.
            name: The name of the rule.
            operator: The side of the threshold on which the rule fires.
            threshold: In the unit of the metric.
            window_seconds: The time over which the value is computed: whole minutes.
            for_seconds: How long the value must be beyond the threshold before the rule fires.
            min_sample_size: For shares and percentiles: with fewer runs or deliveries, the window has no value.
            severity: How urgent it is.
            enabled: Whether it is evaluated.
        """
        call = Call(
            operations.ALERT_RULES_UPDATE,
            [id],
            {
                "name": name,
                "operator": operator,
                "threshold": threshold,
                "window_seconds": window_seconds,
                "for_seconds": for_seconds,
                "min_sample_size": min_sample_size,
                "severity": severity,
                "enabled": enabled,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AlertRule = await self._caller.record(models.AlertRule, call)
        return result

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AlertRule:
        """
        Delete an alert rule.

        Its alert is resolved. Alerts of the past are kept.

        Requires the scope `alerts:write`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of an alert rule.
        """
        call = Call(
            operations.ALERT_RULES_DELETE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AlertRule = await self._caller.record(models.AlertRule, call)
        return result

    async def test(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Alert:
        """
        Send a test alert.

        Sends `alert.triggered` of this rule with `test: true` to every webhook that subscribes to it. Its value is
        the threshold, and the alert is not stored.

        Requires the scope `alerts:write`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of an alert rule.
        """
        call = Call(
            operations.ALERT_RULES_TEST,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Alert = await self._caller.record(models.Alert, call)
        return result

    async def preview(
        self,
        *,
        metric: params.AlertMetric,
        threshold: float,
        error_code: params.RunErrorCode | Omit | None = OMIT,
        agent_id: str | Omit | None = OMIT,
        operator: params.AlertOperator | Omit = OMIT,
        window_seconds: int | Omit = OMIT,
        for_seconds: int | Omit = OMIT,
        min_sample_size: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.AlertPreview:
        """
        Preview an alert rule.

        Returns when the rule would have fired over the last 7 days, evaluated for every minute. `quota_used` and
        `action_waiting_minutes` have no history (`input_invalid`).

        Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.

        Args:
            metric: The value that is watched. `failure_rate`, `webhook_failure_rate` and `quota_used` are shares
            from 0 to 1. `action_waiting_minutes` is the age of the oldest decision that a run waits for.
            threshold: In the unit of the metric.
            error_code: For `error_code_count`: the failures that are counted.
            agent_id: The agent; null: the whole organisation.
            operator: The side of the threshold on which the rule fires.
            window_seconds: The time over which the value is computed: whole minutes.
            for_seconds: How long the value must be beyond the threshold before the rule fires.
            min_sample_size: For shares and percentiles: with fewer runs or deliveries, the window has no value.
        """
        call = Call(
            operations.ALERT_RULES_PREVIEW,
            [],
            {
                "metric": metric,
                "threshold": threshold,
                "error_code": error_code,
                "agent_id": agent_id,
                "operator": operator,
                "window_seconds": window_seconds,
                "for_seconds": for_seconds,
                "min_sample_size": min_sample_size,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.AlertPreview = await self._caller.record(models.AlertPreview, call)
        return result


class AsyncAlertRulesWithRawResponse:
    def __init__(self, alert_rules: AsyncAlertRules) -> None:
        raw = AsyncAlertRules(alert_rules._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)
        self.delete = async_raw_method(raw.delete)
        self.test = async_raw_method(raw.test)
        self.preview = async_raw_method(raw.preview)


class AsyncAlerts(AsyncResource):
    """Rules that fired."""

    @property
    def with_raw_response(self) -> AsyncAlertsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncAlertsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        status: params.AlertStatus | Sequence[params.AlertStatus] | Omit = OMIT,
        severity: params.AlertSeverity | Sequence[params.AlertSeverity] | Omit = OMIT,
        rule_id: str | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Alert]:
        """
        List alerts.

        Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            status: One or more of firing, resolved, separated by commas.
            severity: One or more of info, warning, critical, separated by commas.
            rule_id: The id of an alert rule.
            agent_id: The id of an agent.
        """
        call = Call(
            operations.ALERTS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "status": status,
                "severity": severity,
                "rule_id": rule_id,
                "agent_id": agent_id,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Alert] = self._caller.page(models.Alert, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Alert:
        """
        Get an alert by id.

        Requires the scope `alerts:read`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of an alert.
        """
        call = Call(
            operations.ALERTS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Alert = await self._caller.record(models.Alert, call)
        return result


class AsyncAlertsWithRawResponse:
    def __init__(self, alerts: AsyncAlerts) -> None:
        raw = AsyncAlerts(alerts._caller.raw())
        self.list = async_raw_list(raw.list)
        self.get = async_raw_method(raw.get)


class AsyncBudgets(AsyncResource):
    """Operations on budgets."""

    @property
    def with_raw_response(self) -> AsyncBudgetsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncBudgetsWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Budget]:
        """
        List budgets and what was spent.

        A key that is limited to some agents sees the budgets of these agents and its own.

        Requires the scope `usage:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.BUDGETS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Budget] = self._caller.page(models.Budget, call)
        return result


class AsyncBudgetsWithRawResponse:
    def __init__(self, budgets: AsyncBudgets) -> None:
        raw = AsyncBudgets(budgets._caller.raw())
        self.list = async_raw_list(raw.list)


class AsyncPolicies(AsyncResource):
    """Rules for what enters and leaves runs, and where they apply."""

    @property
    def with_raw_response(self) -> AsyncPoliciesWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncPoliciesWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        status: params.PolicyStatus | Sequence[params.PolicyStatus] | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Policy]:
        """
        List policies.

        Requires the scope `policies:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            status: One or more of active, ended, archived, separated by commas.
        """
        call = Call(
            operations.POLICIES_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "status": status,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Policy] = self._caller.page(models.Policy, call)
        return result

    async def create(
        self,
        *,
        name: str | Omit = OMIT,
        description: str | Omit = OMIT,
        mode: params.PolicyMode | Omit = OMIT,
        rules: Sequence[params.PolicyRuleInputParams] | Omit = OMIT,
        template: str | Omit = OMIT,
        params: Mapping[str, Any] | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Policy:
        """
        Create a policy from rules or from a template.

        It works where it is attached: `POST /policies/{id}/attachments`.

        Requires the scope `policies:write`. Requires `runs:read` too if `rules.check` is or contains `http`,
        `presidio` or `model`. Requires `runs:read` too if `params.model` is set. A key that is narrowed to agents,
        or a demo key, cannot call it.

        Args:
            name: The name. Default: that of the template. Required with `rules`.
            description: What the policy is for.
            mode: `shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you
            renew it.
            rules: The rules. Send these or `template`.
            template: The key of a template.
            params: The parameters of the template.
        """
        call = Call(
            operations.POLICIES_CREATE,
            [],
            {
                "name": name,
                "description": description,
                "mode": mode,
                "rules": rules,
                "template": template,
                "params": params,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Policy = await self._caller.record(models.Policy, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Policy:
        """
        Get a policy by id.

        Requires the scope `policies:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a policy.
        """
        call = Call(
            operations.POLICIES_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Policy = await self._caller.record(models.Policy, call)
        return result

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        description: str | Omit = OMIT,
        mode: params.PolicyMode | Omit = OMIT,
        rules: Sequence[params.PolicyRuleInputParams] | Omit = OMIT,
        version: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Policy:
        """
        Change a policy.

        It applies to every run accepted 5 seconds later. New rules that block or ask also apply to active runs.
        `mode: shadow` renews the 14 days.

        Requires the scope `policies:write`. Requires `runs:read` too if `rules.check` is or contains `http`,
        `presidio` or `model`. Requires `runs:read` too if a rule of the policy has such a check and its `mode`
        changes. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a policy.
            name: The name of the policy.
            description: What the policy is for.
            mode: `shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you
            renew it.
            rules: Replaces all rules and makes a new version.
            version: The version that your change is based on. If a newer one exists, nothing changes
            (`version_conflict`).
        """
        call = Call(
            operations.POLICIES_UPDATE,
            [id],
            {
                "name": name,
                "description": description,
                "mode": mode,
                "rules": rules,
                "version": version,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Policy = await self._caller.record(models.Policy, call)
        return result

    async def archive(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Policy:
        """
        Archive a policy.

        Its attachments end. Archiving again has no effect.

        Requires the scope `policies:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a policy.
        """
        call = Call(
            operations.POLICIES_ARCHIVE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Policy = await self._caller.record(models.Policy, call)
        return result

    def versions(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: int | Omit = OMIT,
        before: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.PolicyVersion]:
        """
        List the versions of a policy.

        Newest first. `after` and `before` are version numbers.

        Requires the scope `policies:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a policy.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.POLICIES_VERSIONS,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.PolicyVersion] = self._caller.page(models.PolicyVersion, call)
        return result

    def attachments(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.PolicyAttachment]:
        """
        List the attachments of a policy.

        Requires the scope `policies:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a policy.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.POLICIES_ATTACHMENTS,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.PolicyAttachment] = self._caller.page(models.PolicyAttachment, call)
        return result

    async def attach(
        self,
        id: str,
        *,
        subject_id: str,
        new_runs_only: bool | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PolicyAttachment:
        """
        Attach a policy to the organisation, an agent or an API key.

        An attachment that exists is returned as it is.

        Requires the scope `policies:write`. Requires `runs:read` too if a rule of the policy has the check `http`,
        `presidio` or `model`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a policy.
            subject_id: The organisation (`org_…`), an agent (`ag_…`) or an API key (`key_…`).
            new_runs_only: True: runs that were accepted before are not affected. False: `block` and
            `require_approval` reach them.
        """
        call = Call(
            operations.POLICIES_ATTACH,
            [id],
            {
                "subject_id": subject_id,
                "new_runs_only": new_runs_only,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PolicyAttachment = await self._caller.record(models.PolicyAttachment, call)
        return result

    async def detach(
        self,
        id: str,
        attachment_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PolicyAttachment:
        """
        Detach a policy.

        Requires the scope `policies:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a policy.
            attachment_id: The id of an attachment of a policy.
        """
        call = Call(
            operations.POLICIES_DETACH,
            [id, attachment_id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PolicyAttachment = await self._caller.record(models.PolicyAttachment, call)
        return result


class AsyncPoliciesWithRawResponse:
    def __init__(self, policies: AsyncPolicies) -> None:
        raw = AsyncPolicies(policies._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)
        self.archive = async_raw_method(raw.archive)
        self.versions = async_raw_list(raw.versions)
        self.attachments = async_raw_list(raw.attachments)
        self.attach = async_raw_method(raw.attach)
        self.detach = async_raw_method(raw.detach)


class AsyncPolicyTemplates(AsyncResource):
    """Policies with parameters."""

    @property
    def with_raw_response(self) -> AsyncPolicyTemplatesWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncPolicyTemplatesWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.PolicyTemplate]:
        """
        List policy templates.

        Requires the scope `policies:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.POLICY_TEMPLATES_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.PolicyTemplate] = self._caller.page(models.PolicyTemplate, call)
        return result

    async def get(
        self,
        key: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PolicyTemplate:
        """
        Get a policy template by key.

        Requires the scope `policies:read`.

        Args:
            key: The key of a template.
        """
        call = Call(
            operations.POLICY_TEMPLATES_GET,
            [key],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PolicyTemplate = await self._caller.record(models.PolicyTemplate, call)
        return result


class AsyncPolicyTemplatesWithRawResponse:
    def __init__(self, policy_templates: AsyncPolicyTemplates) -> None:
        raw = AsyncPolicyTemplates(policy_templates._caller.raw())
        self.list = async_raw_list(raw.list)
        self.get = async_raw_method(raw.get)


class AsyncPolicyTrials(AsyncResource):
    """What policies would have done in past runs."""

    @property
    def with_raw_response(self) -> AsyncPolicyTrialsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncPolicyTrialsWithRawResponse(self)

    def list(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.PolicyTrial]:
        """
        List the trials of a policy.

        Requires the scopes `policies:read` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot
        call it.

        Args:
            id: The id of a policy.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.POLICY_TRIALS_LIST,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.PolicyTrial] = self._caller.page(models.PolicyTrial, call)
        return result

    async def create(
        self,
        id: str,
        *,
        since: datetime,
        until: datetime | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        sample: int | Omit = OMIT,
        max_cost_usd: float | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PolicyTrial:
        """
        Try a policy on past runs.

        It runs in the background with the newest rules of the policy. Nothing is written to runs.

        Requires the scopes `policies:write` and `runs:read`. A key that is narrowed to agents, or a demo key,
        cannot call it.

        Args:
            id: The id of a policy.
            since: Runs created from this time.
            until: At most 31 days after `since`. Default: now.
            agent_id: Only runs of this agent.
            sample: The most runs to look at. Of more runs, some are chosen evenly.
            max_cost_usd: Makes remote checks too, and stops them at this cost.
        """
        call = Call(
            operations.POLICY_TRIALS_CREATE,
            [id],
            {
                "since": since,
                "until": until,
                "agent_id": agent_id,
                "sample": sample,
                "max_cost_usd": max_cost_usd,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PolicyTrial = await self._caller.record(models.PolicyTrial, call)
        return result

    async def get(
        self,
        id: str,
        trial_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PolicyTrial:
        """
        Get the progress and the result of a trial.

        Requires the scopes `policies:read` and `runs:read`. A key that is narrowed to agents, or a demo key, cannot
        call it.

        Args:
            id: The id of a policy.
            trial_id: The id of a trial of a policy.
        """
        call = Call(
            operations.POLICY_TRIALS_GET,
            [id, trial_id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PolicyTrial = await self._caller.record(models.PolicyTrial, call)
        return result

    async def cancel(
        self,
        id: str,
        trial_id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PolicyTrial:
        """
        Cancel a trial.

        It keeps what it has counted. Cancelling again has no effect.

        Requires the scopes `policies:write` and `runs:read`. A key that is narrowed to agents, or a demo key,
        cannot call it.

        Args:
            id: The id of a policy.
            trial_id: The id of a trial of a policy.
        """
        call = Call(
            operations.POLICY_TRIALS_CANCEL,
            [id, trial_id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PolicyTrial = await self._caller.record(models.PolicyTrial, call)
        return result


class AsyncPolicyTrialsWithRawResponse:
    def __init__(self, policy_trials: AsyncPolicyTrials) -> None:
        raw = AsyncPolicyTrials(policy_trials._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.cancel = async_raw_method(raw.cancel)


class AsyncPipelines(AsyncResource):
    """Steps that run agents and ask people: create, check, change and archive."""

    @property
    def with_raw_response(self) -> AsyncPipelinesWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncPipelinesWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        status: params.PipelineStatus | Sequence[params.PipelineStatus] | Omit = OMIT,
        q: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Pipeline]:
        """
        List pipelines.

        Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            status: One or more of active, archived, separated by commas.
            q: Text to search for in name and description.
        """
        call = Call(
            operations.PIPELINES_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "status": status,
                "q": q,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Pipeline] = self._caller.page(models.Pipeline, call)
        return result

    async def create(
        self,
        *,
        name: str,
        definition: params.PipelineDefinitionInputParams,
        description: str | Omit | None = OMIT,
        metadata: Mapping[str, str] | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Pipeline:
        """
        Create a pipeline.

        The definition is checked as a whole: steps that depend on each other in a circle, unknown steps, agents and
        fields, and expressions. Each problem has its path, and its position within an expression.

        Requires the scope `pipelines:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            name: The name of the pipeline.
            description: What the pipeline does, for people.
            metadata: Your own key-value pairs.
        """
        call = Call(
            operations.PIPELINES_CREATE,
            [],
            {
                "name": name,
                "definition": definition,
                "description": description,
                "metadata": metadata,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Pipeline = await self._caller.record(models.Pipeline, call)
        return result

    async def check(
        self,
        *,
        definition: params.PipelineDefinitionInputParams,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineCheck:
        """
        Check a definition without saving it.

        Returns the problems that `POST /pipelines` would refuse.

        Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.
        """
        call = Call(
            operations.PIPELINES_CHECK,
            [],
            {
                "definition": definition,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineCheck = await self._caller.record(models.PipelineCheck, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Pipeline:
        """
        Get a pipeline by id.

        Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a pipeline.
        """
        call = Call(
            operations.PIPELINES_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Pipeline = await self._caller.record(models.Pipeline, call)
        return result

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        description: str | Omit | None = OMIT,
        definition: params.PipelineDefinitionInputParams | Omit = OMIT,
        metadata: Mapping[str, str | None] | Omit | None = OMIT,
        version: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Pipeline:
        """
        Change a pipeline.

        Omitted fields stay unchanged. Another name, description or definition creates a new version, which new
        pipeline runs use. Active pipeline runs stay on their version. Metadata is merged and belongs to no version.

        Requires the scope `pipelines:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a pipeline.
            name: The name of the pipeline.
            description: What the pipeline does, for people.
            definition: Replaces the whole definition.
            metadata: Your own key-value pairs. They are merged; null removes a key.
            version: The version that your change is based on. If a newer one exists, nothing changes
            (`version_conflict`).
        """
        call = Call(
            operations.PIPELINES_UPDATE,
            [id],
            {
                "name": name,
                "description": description,
                "definition": definition,
                "metadata": metadata,
                "version": version,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Pipeline = await self._caller.record(models.Pipeline, call)
        return result

    async def archive(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Pipeline:
        """
        Archive a pipeline.

        Active pipeline runs finish; new ones are rejected. Archiving again has no effect.

        Requires the scope `pipelines:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a pipeline.
        """
        call = Call(
            operations.PIPELINES_ARCHIVE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Pipeline = await self._caller.record(models.Pipeline, call)
        return result

    async def unarchive(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Pipeline:
        """
        Return an archived pipeline to service.

        The pipeline accepts runs and changes again. It counts towards the limit of pipelines again. An active
        pipeline is returned unchanged.

        Requires the scope `pipelines:write`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a pipeline.
        """
        call = Call(
            operations.PIPELINES_UNARCHIVE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Pipeline = await self._caller.record(models.Pipeline, call)
        return result

    def versions(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: int | Omit = OMIT,
        before: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.PipelineVersion]:
        """
        List the versions of a pipeline.

        Newest first. `after` and `before` are version numbers.

        Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a pipeline.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.PIPELINES_VERSIONS,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.PipelineVersion] = self._caller.page(models.PipelineVersion, call)
        return result

    async def version(
        self,
        id: str,
        version: int,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineVersion:
        """
        Get one version of a pipeline.

        Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a pipeline.
            version: The number of a version.
        """
        call = Call(
            operations.PIPELINES_VERSION,
            [id, version],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineVersion = await self._caller.record(models.PipelineVersion, call)
        return result

    async def diff(
        self,
        id: str,
        version: int,
        *,
        to: int,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineDiff:
        """
        Compare two versions of a pipeline.

        Steps are compared by their keys.

        Requires the scope `pipelines:read`. A key that is narrowed to agents, or a demo key, cannot call it.

        Args:
            id: The id of a pipeline.
            version: The number of a version.
            to: The version to compare with.
        """
        call = Call(
            operations.PIPELINES_DIFF,
            [id, version],
            {
                "to": to,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineDiff = await self._caller.record(models.PipelineDiff, call)
        return result


class AsyncPipelinesWithRawResponse:
    def __init__(self, pipelines: AsyncPipelines) -> None:
        raw = AsyncPipelines(pipelines._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.check = async_raw_method(raw.check)
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)
        self.archive = async_raw_method(raw.archive)
        self.unarchive = async_raw_method(raw.unarchive)
        self.versions = async_raw_list(raw.versions)
        self.version = async_raw_method(raw.version)
        self.diff = async_raw_method(raw.diff)


class AsyncPipelineRuns(AsyncResource):
    """Start, stream, read, decide, cancel and repeat runs of pipelines."""

    @property
    def with_raw_response(self) -> AsyncPipelineRunsWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncPipelineRunsWithRawResponse(self)

    async def create(
        self,
        id: str,
        *,
        input: Mapping[str, Any] | Omit = OMIT,
        metadata: Mapping[str, str] | Omit = OMIT,
        timeout_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineRun:
        """
        Start a pipeline run.

        Returns when the pipeline run is stored; it does not wait for the steps. Read it at `Location`, follow its
        stream, or subscribe to `pipeline.completed`. Each step runs with the rights of the caller, which are
        checked again at its start.

        Requires the scope `runs:write`.

        Args:
            id: The id of a pipeline.
            input: The input. Expressions read it as `input`. Default: `{}`.
            metadata: Your own key-value pairs.
            timeout_seconds: The pipeline run fails with `timeout` after this time, waits for people included.
            Default: 86400.
        """
        call = Call(
            operations.PIPELINE_RUNS_CREATE,
            [id],
            {
                "input": input,
                "metadata": metadata,
                "timeout_seconds": timeout_seconds,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineRun = await self._caller.record(models.PipelineRun, call)
        return result

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        pipeline_id: str | Omit = OMIT,
        status: params.PipelineRunStatus | Sequence[params.PipelineRunStatus] | Omit = OMIT,
        created_after: datetime | Omit = OMIT,
        created_before: datetime | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.PipelineRun]:
        """
        List pipeline runs with filters.

        Requires the scopes `pipelines:read` and `runs:read`.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            pipeline_id: The id of a pipeline.
            status: One or more of running, cancelling, completed, failed, cancelled, separated by commas.
            created_after: Only items that were created at or after this time.
            created_before: Only items that were created before this time.
        """
        call = Call(
            operations.PIPELINE_RUNS_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "pipeline_id": pipeline_id,
                "status": status,
                "created_after": created_after,
                "created_before": created_before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.PipelineRun] = self._caller.page(models.PipelineRun, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineRun:
        """
        Get a pipeline run by id.

        Requires the scopes `pipelines:read` and `runs:read`.

        Args:
            id: The id of a pipeline run.
        """
        call = Call(
            operations.PIPELINE_RUNS_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineRun = await self._caller.record(models.PipelineRun, call)
        return result

    async def cancel(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineRun:
        """
        Cancel a pipeline run.

        Cancels the runs of its steps and starts no further one. One that has ended is returned unchanged.

        Requires the scope `runs:write`.

        Args:
            id: The id of a pipeline run.
        """
        call = Call(
            operations.PIPELINE_RUNS_CANCEL,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineRun = await self._caller.record(models.PipelineRun, call)
        return result

    def watch(
        self,
        id: str,
        *,
        last_event_id: str | None = None,
        idle_timeout: float | None = None,
        resume_for: float | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncStream[models.PipelineRunFrame]:
        """
        Stream a pipeline run.

        Begins with the whole pipeline run, then sends each change of a step, and ends with the pipeline run. For
        the text that an agent produces, stream the run of the step.

        Requires the scopes `pipelines:read` and `runs:read`.

        Args:
            id: The id of a pipeline run.
        """
        call = Call(
            operations.PIPELINE_RUNS_WATCH,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        plan = StreamPlan(
            call,
            resumed_by=operations.PIPELINE_RUNS_WATCH,
            ends=False,
            frame=models.PipelineRunFrame,
            run=models.Run,
            last_event_id=last_event_id,
            idle_timeout=idle_timeout,
            resume_for=resume_for,
        )
        return self._caller.event_stream(plan)

    def items(
        self,
        id: str,
        key: str,
        *,
        limit: int | Omit = OMIT,
        after: int | Omit = OMIT,
        before: int | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.PipelineItem]:
        """
        List the items of a step.

        In the order of the list of `for_each`. `after` and `before` are numbers of items.

        Requires the scopes `pipelines:read` and `runs:read`.

        Args:
            id: The id of a pipeline run.
            key: The key of the step.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.PIPELINE_RUNS_ITEMS,
            [id, key],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.PipelineItem] = self._caller.page(models.PipelineItem, call)
        return result

    async def diagnose(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineRunDiagnosis:
        """
        Explain why a pipeline run does not progress.

        Requires the scopes `pipelines:read` and `runs:read`.

        Args:
            id: The id of a pipeline run.
        """
        call = Call(
            operations.PIPELINE_RUNS_DIAGNOSE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineRunDiagnosis = await self._caller.record(models.PipelineRunDiagnosis, call)
        return result

    async def act(
        self,
        id: str,
        *,
        type: params.PipelineDecisionType,
        action_id: str | Omit = OMIT,
        comment: str | Omit = OMIT,
        payload: Any | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineRun:
        """
        Decide an approval step of a pipeline run.

        Answers an open action of `required_actions` whose `run_id` is null. Sending the same decision again has no
        further effect.

        Requires the scope `runs:approve`.

        Args:
            id: The id of a pipeline run.
            type: The decision on an approval step. `reject` fails the step with `approval_rejected`.
            action_id: Which open action you decide: the key of its approval step. Optional if exactly one approval
            step waits.
            comment: The reason; it is recorded.
            payload: With `approve`: a value that matches `response_schema`, if there is one. It is the `payload` of
            the output of the step.
        """
        call = Call(
            operations.PIPELINE_RUNS_ACT,
            [id],
            {
                "type": type,
                "action_id": action_id,
                "comment": comment,
                "payload": payload,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineRun = await self._caller.record(models.PipelineRun, call)
        return result

    async def rerun(
        self,
        id: str,
        *,
        from_step: str,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineRun:
        """
        Run a pipeline again from a step.

        Starts a pipeline run of the same version with the same input. Steps that do not come after `from_step` keep
        their outputs and are not run again. If such an output was erased or has expired, it is 422. An approval
        step among them is not asked again: the first decision counts once more, and `steps[].decision` names it. To
        be asked again, run from the approval step.

        Requires the scope `runs:write`. Requires `runs:approve` too if a step that runs again depends on an
        approval that is kept.

        Args:
            id: The id of a pipeline run.
            from_step: The first step that runs again.
        """
        call = Call(
            operations.PIPELINE_RUNS_RERUN,
            [id],
            {
                "from_step": from_step,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineRun = await self._caller.record(models.PipelineRun, call)
        return result

    async def erase(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.PipelineRun:
        """
        Erase the data of an ended pipeline run.

        Erases input, output, lists and payloads of decisions, and the data of its runs. The records stay, with
        status, times, metadata and error.

        Requires the scope `runs:erase`.

        Args:
            id: The id of a pipeline run.
        """
        call = Call(
            operations.PIPELINE_RUNS_ERASE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.PipelineRun = await self._caller.record(models.PipelineRun, call)
        return result


class AsyncPipelineRunsWithRawResponse:
    def __init__(self, pipeline_runs: AsyncPipelineRuns) -> None:
        raw = AsyncPipelineRuns(pipeline_runs._caller.raw())
        self.create = async_raw_method(raw.create)
        self.list = async_raw_list(raw.list)
        self.get = async_raw_method(raw.get)
        self.cancel = async_raw_method(raw.cancel)
        self.items = async_raw_list(raw.items)
        self.diagnose = async_raw_method(raw.diagnose)
        self.act = async_raw_method(raw.act)
        self.rerun = async_raw_method(raw.rerun)
        self.erase = async_raw_method(raw.erase)


class AsyncSchedules(AsyncResource):
    """Dates at which agents and pipelines start, and what came of them."""

    @property
    def with_raw_response(self) -> AsyncSchedulesWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncSchedulesWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        pipeline_id: str | Omit = OMIT,
        status: params.SchedulesListStatus | Sequence[params.SchedulesListStatus] | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Schedule]:
        """
        List schedules.

        Requires the scope `schedules:read`. A credential that sees only its own runs cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            agent_id: The id of an agent.
            pipeline_id: The id of a pipeline.
            status: One or more of active, paused, separated by commas.
        """
        call = Call(
            operations.SCHEDULES_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "agent_id": agent_id,
                "pipeline_id": pipeline_id,
                "status": status,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Schedule] = self._caller.page(models.Schedule, call)
        return result

    async def create(
        self,
        *,
        name: str,
        cron: str | Omit | None = OMIT,
        time_zone: str | Omit = OMIT,
        interval_seconds: int | Omit | None = OMIT,
        once_at: datetime | Omit | None = OMIT,
        agent_id: str | Omit | None = OMIT,
        pipeline_id: str | Omit | None = OMIT,
        input: Mapping[str, Any] | Omit = OMIT,
        metadata: Mapping[str, str] | Omit = OMIT,
        missed: params.ScheduleMissed | Omit = OMIT,
        overlap: params.ScheduleOverlap | Omit = OMIT,
        monthly_budget_usd: float | Omit | None = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Schedule:
        """
        Create a schedule.

        Set one of `cron`, `interval_seconds` and `once_at`, and one of `agent_id` and `pipeline_id`. Dates are at
        least 60 seconds apart. The runs start as the caller, whose right is checked at every firing. At most 1000
        per organisation.

        Requires the scopes `schedules:write` and `runs:write`. A credential that sees only its own runs cannot call
        it. A short-lived token cannot call it.

        Args:
            name: The name of the schedule.
            cron: Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another
            timing.
            time_zone: The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip
            fire once, after it; in an hour that they show twice they fire once.
            interval_seconds: Seconds between two dates, from the time at which this was set. Null: the schedule has
            another timing.
            once_at: The only date. Null: the schedule has another timing.
            agent_id: The agent that each firing runs; null: the target is a pipeline.
            pipeline_id: The pipeline that each firing runs; null: the target is an agent.
            input: The input of each run.
            metadata: The metadata of each run.
            missed: A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`:
            the last missed date fires for all of them.
            overlap: What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at
            most 10 wait. `allow`: it starts.
            monthly_budget_usd: US dollars a month, UTC, for the runs of this schedule; null: none. When they are
            spent, firings are skipped.
        """
        call = Call(
            operations.SCHEDULES_CREATE,
            [],
            {
                "name": name,
                "cron": cron,
                "time_zone": time_zone,
                "interval_seconds": interval_seconds,
                "once_at": once_at,
                "agent_id": agent_id,
                "pipeline_id": pipeline_id,
                "input": input,
                "metadata": metadata,
                "missed": missed,
                "overlap": overlap,
                "monthly_budget_usd": monthly_budget_usd,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Schedule = await self._caller.record(models.Schedule, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Schedule:
        """
        Get a schedule by id.

        Requires the scope `schedules:read`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of a schedule.
        """
        call = Call(
            operations.SCHEDULES_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Schedule = await self._caller.record(models.Schedule, call)
        return result

    async def update(
        self,
        id: str,
        *,
        name: str | Omit = OMIT,
        cron: str | Omit | None = OMIT,
        time_zone: str | Omit = OMIT,
        interval_seconds: int | Omit | None = OMIT,
        once_at: datetime | Omit | None = OMIT,
        agent_id: str | Omit | None = OMIT,
        pipeline_id: str | Omit | None = OMIT,
        input: Mapping[str, Any] | Omit = OMIT,
        metadata: Mapping[str, str] | Omit = OMIT,
        missed: params.ScheduleMissed | Omit = OMIT,
        overlap: params.ScheduleOverlap | Omit = OMIT,
        monthly_budget_usd: float | Omit | None = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Schedule:
        """
        Change a schedule.

        A new timing replaces the old one, and counts from now on. A new target or input makes the caller the
        creator of the schedule.

        Requires the scopes `schedules:write` and `runs:write`. A credential that sees only its own runs cannot call
        it. A short-lived token cannot call it.

        Args:
            id: The id of a schedule.
            name: The name of the schedule.
            cron: Five fields: minute, hour, day of month, month, day of week. Null: the schedule has another
            timing.
            time_zone: The IANA time zone of `cron`, such as Europe/Berlin. Dates in an hour that the clocks skip
            fire once, after it; in an hour that they show twice they fire once.
            interval_seconds: Seconds between two dates, from the time at which this was set. Null: the schedule has
            another timing.
            once_at: The only date. Null: the schedule has another timing.
            agent_id: The agent that each firing runs; null: the target is a pipeline.
            pipeline_id: The pipeline that each firing runs; null: the target is an agent.
            input: The input of each run.
            metadata: The metadata of each run.
            missed: A date that the service reaches over 5 minutes late is missed. `skip`: it does not fire. `once`:
            the last missed date fires for all of them.
            overlap: What a firing does while an earlier one runs. `skip`: it does not start. `queue`: it waits; at
            most 10 wait. `allow`: it starts.
            monthly_budget_usd: US dollars a month, UTC, for the runs of this schedule; null: none. When they are
            spent, firings are skipped.
        """
        call = Call(
            operations.SCHEDULES_UPDATE,
            [id],
            {
                "name": name,
                "cron": cron,
                "time_zone": time_zone,
                "interval_seconds": interval_seconds,
                "once_at": once_at,
                "agent_id": agent_id,
                "pipeline_id": pipeline_id,
                "input": input,
                "metadata": metadata,
                "missed": missed,
                "overlap": overlap,
                "monthly_budget_usd": monthly_budget_usd,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Schedule = await self._caller.record(models.Schedule, call)
        return result

    async def delete(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Schedule:
        """
        Delete a schedule.

        Firings that have not started are skipped. Runs that have started continue.

        Requires the scope `schedules:write`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of a schedule.
        """
        call = Call(
            operations.SCHEDULES_DELETE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Schedule = await self._caller.record(models.Schedule, call)
        return result

    async def pause(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Schedule:
        """
        Pause a schedule.

        Firings that have not started are skipped. Dates that pass during the pause do not fire later.

        Requires the scope `schedules:write`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of a schedule.
        """
        call = Call(
            operations.SCHEDULES_PAUSE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Schedule = await self._caller.record(models.Schedule, call)
        return result

    async def resume(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Schedule:
        """
        Resume a schedule.

        If the service paused it, the caller becomes its creator, because the right of the creator was lost.

        Requires the scopes `schedules:write` and `runs:write`. A credential that sees only its own runs cannot call
        it. A short-lived token cannot call it.

        Args:
            id: The id of a schedule.
        """
        call = Call(
            operations.SCHEDULES_RESUME,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Schedule = await self._caller.record(models.Schedule, call)
        return result

    async def run(
        self,
        id: str,
        *,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.ScheduleFiring:
        """
        Fire a schedule now.

        Starts the target as the creator of the schedule, within a few seconds, also while it is paused. The rule
        for overlaps applies.

        Requires the scopes `schedules:write` and `runs:write`. A credential that sees only its own runs cannot call
        it. A short-lived token cannot call it.

        Args:
            id: The id of a schedule.
        """
        call = Call(
            operations.SCHEDULES_RUN,
            [id],
            None,
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.ScheduleFiring = await self._caller.record(models.ScheduleFiring, call)
        return result

    def firings(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        status: params.ScheduleFiringStatus | Sequence[params.ScheduleFiringStatus] | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.ScheduleFiring]:
        """
        List the firings of a schedule.

        The last 1000 are kept, for at most 90 days.

        Requires the scope `schedules:read`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of a schedule.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            status: One or more of due, queued, started, skipped, failed, separated by commas.
        """
        call = Call(
            operations.SCHEDULES_FIRINGS,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "status": status,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.ScheduleFiring] = self._caller.page(models.ScheduleFiring, call)
        return result


class AsyncSchedulesWithRawResponse:
    def __init__(self, schedules: AsyncSchedules) -> None:
        raw = AsyncSchedules(schedules._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.update = async_raw_method(raw.update)
        self.delete = async_raw_method(raw.delete)
        self.pause = async_raw_method(raw.pause)
        self.resume = async_raw_method(raw.resume)
        self.run = async_raw_method(raw.run)
        self.firings = async_raw_list(raw.firings)


class AsyncBatches(AsyncBatchHelpers, AsyncResource):
    """Many runs of one agent, which use the capacity that other runs leave."""

    @property
    def with_raw_response(self) -> AsyncBatchesWithRawResponse:
        """The same methods, which return status and headers as well."""
        return AsyncBatchesWithRawResponse(self)

    def list(
        self,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        agent_id: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.Batch]:
        """
        List batches.

        Requires the scope `runs:read`. A credential that sees only its own runs cannot call it.

        Args:
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
            agent_id: Only batches of this agent.
        """
        call = Call(
            operations.BATCHES_LIST,
            [],
            {
                "limit": limit,
                "after": after,
                "before": before,
                "agent_id": agent_id,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.Batch] = self._caller.page(models.Batch, call)
        return result

    async def create(
        self,
        *,
        agent_id: str,
        items: Sequence[params.BatchItemParams],
        metadata: Mapping[str, str] | Omit = OMIT,
        timeout_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch:
        """
        Create a batch.

        Starts one run for each item, as fast as the plan allows and without delaying other runs: a batch leaves a
        fifth of the concurrent runs free. An organisation has at most 20 active batches.

        Requires the scope `runs:write`. A credential that sees only its own runs cannot call it.

        Args:
            agent_id: The id of an agent.
            items: 1 to 10000 items, one run for each. An input is checked against the agent’s `input_schema` when
            its run starts.
            metadata: Your own key-value pairs. Each run of the batch gets them.
            timeout_seconds: The timeout of each run. Default: the agent’s timeout.
        """
        call = Call(
            operations.BATCHES_CREATE,
            [],
            {
                "agent_id": agent_id,
                "items": items,
                "metadata": metadata,
                "timeout_seconds": timeout_seconds,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Batch = await self._caller.record(models.Batch, call)
        return result

    async def get(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch:
        """
        Get the progress of a batch.

        Requires the scope `runs:read`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of a batch.
        """
        call = Call(
            operations.BATCHES_GET,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Batch = await self._caller.record(models.Batch, call)
        return result

    async def cancel(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch:
        """
        Cancel a batch.

        Starts no further item and cancels the runs of the batch. A batch that has ended is returned unchanged.

        Requires the scope `runs:write`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of a batch.
        """
        call = Call(
            operations.BATCHES_CANCEL,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Batch = await self._caller.record(models.Batch, call)
        return result

    def results(
        self,
        id: str,
        *,
        limit: int | Omit = OMIT,
        after: str | Omit = OMIT,
        before: str | Omit = OMIT,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> AsyncPages[models.BatchResult]:
        """
        List the results of a batch.

        In the order of the items, also while the batch is active.

        Requires the scope `runs:read`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of a batch.
            limit: 1 to 100 items.
            after: The items after this id.
            before: The items before this id.
        """
        call = Call(
            operations.BATCHES_RESULTS,
            [id],
            {
                "limit": limit,
                "after": after,
                "before": before,
            },
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: AsyncPages[models.BatchResult] = self._caller.page(models.BatchResult, call)
        return result

    async def erase(
        self,
        id: str,
        *,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch:
        """
        Erase the data of an ended batch.

        Erases its inputs, its metadata and the data of its runs, in the background. `erased_at` says when it is
        done.

        Requires the scope `runs:erase`. A credential that sees only its own runs cannot call it.

        Args:
            id: The id of a batch.
        """
        call = Call(
            operations.BATCHES_ERASE,
            [id],
            None,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Batch = await self._caller.record(models.Batch, call)
        return result

    async def create_and_wait(
        self,
        *,
        agent_id: str,
        items: Sequence[params.BatchItemParams],
        metadata: Mapping[str, str] | Omit = OMIT,
        timeout_seconds: int | Omit = OMIT,
        idempotency_key: str | None = None,
        timeout: float | None = None,
        max_retries: int | None = None,
        extra_headers: Mapping[str, str] | None = None,
    ) -> models.Batch:
        """
        Create a batch and wait until it has ended.

        However long it takes.

        Requires the scope `runs:write`. A credential that sees only its own runs cannot call it.

        Args:
            agent_id: The id of an agent.
            items: 1 to 10000 items, one run for each. An input is checked against the agent’s `input_schema` when
            its run starts.
            metadata: Your own key-value pairs. Each run of the batch gets them.
            timeout_seconds: The timeout of each run. Default: the agent’s timeout.
        """
        call = Call(
            operations.BATCHES_CREATE,
            [],
            {
                "agent_id": agent_id,
                "items": items,
                "metadata": metadata,
                "timeout_seconds": timeout_seconds,
            },
            idempotency_key=idempotency_key,
            timeout=timeout,
            max_retries=max_retries,
            extra_headers=extra_headers,
        )
        result: models.Batch = await self._create_and_wait(call)
        return result


class AsyncBatchesWithRawResponse:
    def __init__(self, batches: AsyncBatches) -> None:
        raw = AsyncBatches(batches._caller.raw())
        self.list = async_raw_list(raw.list)
        self.create = async_raw_method(raw.create)
        self.get = async_raw_method(raw.get)
        self.cancel = async_raw_method(raw.cancel)
        self.results = async_raw_list(raw.results)
        self.erase = async_raw_method(raw.erase)


class AsyncResources:
    """One attribute for each resource."""

    def __init__(self, caller: AsyncCaller) -> None:
        self.runs = AsyncRuns(caller)
        """Create, stream, read, answer and cancel runs of agents."""
        self.agents = AsyncAgents(caller)
        """Hire, create, change and archive agents, and read their versions."""
        self.catalog = AsyncCatalog(caller)
        """Agents that can be hired."""
        self.models = AsyncModels(caller)
        """Models that agents can use."""
        self.provider_keys = AsyncProviderKeys(caller)
        """Operations on providerKeys."""
        self.deployments = AsyncDeployments(caller)
        """Released versions of agents: promote and roll back."""
        self.connectors = AsyncConnectors(caller)
        """MCP servers whose tools agents can use."""
        self.webhooks = AsyncWebhooks(caller)
        """Endpoints that receive events, and their deliveries."""
        self.events = AsyncEvents(caller)
        """Events of the organisation."""
        self.api_keys = AsyncApiKeys(caller)
        """Credentials for programs."""
        self.session_tokens = AsyncSessionTokens(caller)
        """Short-lived tokens for browsers."""
        self.auth = AsyncAuth(caller)
        """Login, logout, invitations and passwords."""
        self.sessions = AsyncSessions(caller)
        """Browser sessions of the current person."""
        self.organisation = AsyncOrganisation(caller)
        """The organisation of the credential, with its plan and limits."""
        self.members = AsyncMembers(caller)
        """Members of the organisation and invitations."""
        self.alert_destinations = AsyncAlertDestinations(caller)
        """Operations on alertDestinations."""
        self.audit_log = AsyncAuditLog(caller)
        """Administrative operations of the organisation."""
        self.usage = AsyncUsage(caller)
        """Operations on usage."""
        self.analytics = AsyncAnalytics(caller)
        """Operations on analytics."""
        self.alert_rules = AsyncAlertRules(caller)
        """Rules that watch figures, and previews of them."""
        self.alerts = AsyncAlerts(caller)
        """Rules that fired."""
        self.budgets = AsyncBudgets(caller)
        """Operations on budgets."""
        self.policies = AsyncPolicies(caller)
        """Rules for what enters and leaves runs, and where they apply."""
        self.policy_templates = AsyncPolicyTemplates(caller)
        """Policies with parameters."""
        self.policy_trials = AsyncPolicyTrials(caller)
        """What policies would have done in past runs."""
        self.pipelines = AsyncPipelines(caller)
        """Steps that run agents and ask people: create, check, change and archive."""
        self.pipeline_runs = AsyncPipelineRuns(caller)
        """Start, stream, read, decide, cancel and repeat runs of pipelines."""
        self.schedules = AsyncSchedules(caller)
        """Dates at which agents and pipelines start, and what came of them."""
        self.batches = AsyncBatches(caller)
        """Many runs of one agent, which use the capacity that other runs leave."""

__all__ = [
    "AsyncResources",
    "AsyncRuns",
    "AsyncAgents",
    "AsyncCatalog",
    "AsyncModels",
    "AsyncProviderKeys",
    "AsyncDeployments",
    "AsyncConnectors",
    "AsyncWebhooks",
    "AsyncEvents",
    "AsyncApiKeys",
    "AsyncSessionTokens",
    "AsyncAuth",
    "AsyncSessions",
    "AsyncOrganisation",
    "AsyncMembers",
    "AsyncAlertDestinations",
    "AsyncAuditLog",
    "AsyncUsage",
    "AsyncAnalytics",
    "AsyncAlertRules",
    "AsyncAlerts",
    "AsyncBudgets",
    "AsyncPolicies",
    "AsyncPolicyTemplates",
    "AsyncPolicyTrials",
    "AsyncPipelines",
    "AsyncPipelineRuns",
    "AsyncSchedules",
    "AsyncBatches",
]
