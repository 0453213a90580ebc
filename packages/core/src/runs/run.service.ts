import { type AgentId, Answer, plans, type RunId, type RunStatus, type Run as WireRun } from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { Load } from '@ars/platform/overload'
import type { Wakeups } from '@ars/platform/redis/redis'
import { type AgentService, isSurelyWithin, type Reacher } from '../agents/index.ts'
import type { Caller, Ctx } from '../ctx.ts'
import { bucketOf } from '../deployments/index.ts'
import { Fault } from '../fault.ts'
import { findTwin } from '../idempotency.store.ts'
import { requireSameRequest } from '../idempotency.ts'
import type { Schemas } from '../models/index.ts'
import { createdWithin, pageSize, toList } from '../page.ts'
import { createAccept } from './accept.service.ts'
import { eraseRunData } from './erase.store.ts'
import type { Feed, Follower } from './feed.service.ts'
import { type AskedInput, createInputCheck } from './input-check.service.ts'
import { listRuns } from './list.store.ts'
import { queueChannel } from './queue.ts'
import { type Accepted, findRelease, findRun, findTimeoutMost } from './run.store.ts'
import { isEnded, newRun, type Run, runIdOf, toWire } from './run.ts'
import type { RunPage } from './run-page.ts'
import type { Sender } from './sender.service.ts'

export type CreateRun = {
  agent_id: AgentId
  input: Record<string, unknown>
  metadata?: Record<string, string> | undefined
  timeout_seconds?: number | undefined
}

export type ListRuns = {
  limit?: number | undefined
  after?: RunId | undefined
  before?: RunId | undefined
  agent_id?: AgentId | undefined
  status?: readonly RunStatus[] | undefined
  created_after?: string | undefined
  created_before?: string | undefined
  pipeline_run_id?: string | undefined
  metadata?: Record<string, string> | undefined
}

export type RunService = {
  /** Accepts a run and waits for its end as long as the caller wants. */
  create(ctx: Ctx, body: CreateRun): Promise<Answer<WireRun>>
  /** Accepts a run, or finds the one that was accepted under the same key, and does not wait. */
  accept(ctx: Ctx, body: CreateRun): Promise<{ uuid: string; replayed: boolean }>
  /** What `create` would answer because this very request was made before; null: it was not. Nothing is created. */
  findReplay(ctx: Ctx, body: CreateRun): Promise<Answer<WireRun> | null>
  /** The run, as its UUID, that this very request has made before. */
  findReplayed(ctx: Ctx, body: CreateRun): Promise<string | null>
  get(ctx: Pick<Caller, 'org'>, id: RunId): Promise<WireRun>
  /** Runs of the agents within the caller's reach. */
  list(ctx: Reacher, page: ListRuns): Promise<ReturnType<typeof toList<WireRun>>>
  /** Erases the data of an ended run. */
  erase(ctx: Pick<Caller, 'org'>, id: RunId): Promise<WireRun>
}

type Deps = {
  app: Database
  load?: Load
  clock: Clock
  agents: AgentService
  schemas: Schemas
  feed: Feed
  sender: Sender
  wakeups: Wakeups
  newId: IdMaker
  relayAfterMs: number
  cellSlots: number
}

export const createRuns = (deps: Deps): RunService => {
  const get = async (org: string, uuid: string): Promise<Run> => {
    const run = await findRun(deps.app, org, uuid)
    if (!run) throw new Fault('not_found', `No run ${runIdOf(uuid)}`)
    return run
  }

  const accept = createAccept(deps)

  const inputs = createInputCheck(deps)

  /** Null: not accepted, for a reason that `findHolder` looks for. */
  const acceptOnce = async (ctx: Ctx, uuid: string, body: CreateRun): Promise<Accepted | null> => {
    const asked = askedInput(ctx, uuid, body)
    const verdict = await accept(ctx.org, {
      id: uuid,
      ...asked,
      metadata: body.metadata ?? {},
      timeoutSeconds: body.timeout_seconds ?? null,
      timeoutMostSeconds: ctx.isDemo ? plans.demo.runTimeoutMaxSeconds : undefined,
      // An input that does not fit is offered unchecked: it is refused below, unless its twin was accepted before.
      checkedVersion: inputs.fittingVersion(asked),
      idempotency:
        ctx.idempotencyKey === undefined
          ? undefined
          : { key: ctx.idempotencyKey, fingerprint: sha256(canonicalJson(body)) },
    })
    if (verdict === null || (verdict !== 'full' && !('spentForSeconds' in verdict))) return verdict
    // A retry of what was accepted gets its run, whatever is used up by now.
    if ((await findHolder(ctx, uuid, body)) !== null) return null
    if (verdict === 'full') {
      throw new Fault('concurrency_exceeded', 'Too many runs of this organisation are waiting to start', {
        retryAfterSeconds: 1,
      })
    }
    throw new Fault('quota_exceeded', 'The organisation has used the calls of this month', {
      retryAfterSeconds: verdict.spentForSeconds,
    })
  }

  /** A key that may use every agent, or this one by its id, need not look: whether there is one, the accept sees. */
  const checkAgent = async (ctx: Ctx, { agent_id: id }: CreateRun): Promise<void> => {
    if (!isSurelyWithin(ctx, toUuid(id))) await deps.agents.get(ctx, id)
  }

  const findTwinRun = async (ctx: Ctx, body: CreateRun): Promise<string | null> => {
    const twin =
      ctx.idempotencyKey === undefined
        ? null
        : await findTwin(deps.app, ctx.org, { thing: 'run', key: ctx.idempotencyKey })
    if (!twin) return null
    requireSameRequest(twin, sha256(canonicalJson(body)))
    return twin.subject_id
  }

  /**
   * Why nothing was accepted: a twin holds the key, the agent takes no runs, the input must be looked at, or the run
   * would take too long.
   */
  const findHolder = async (ctx: Ctx, uuid: string, body: CreateRun): Promise<string | null> => {
    const twin = await findTwinRun(ctx, body)
    if (twin !== null) return twin
    const asked = askedInput(ctx, uuid, body)
    const release = await findRelease(deps.app, ctx.org, asked)
    if (!release) throw new Fault('not_found', `No agent ${body.agent_id}`)
    if (release.status === 'archived') {
      throw new Fault('agent_archived', `Agent ${body.agent_id} is archived`, { param: 'agent_id' })
    }
    inputs.check(asked, release)
    await checkTimeout(ctx, body)
    return null
  }

  const checkTimeout = async (ctx: Ctx, { timeout_seconds: asked }: CreateRun): Promise<void> => {
    if (asked === undefined) return
    const most = await findTimeoutMost(deps.app, ctx.org)
    const allowed = ctx.isDemo ? Math.min(most, plans.demo.runTimeoutMaxSeconds) : most
    if (asked <= allowed) return
    throw new Fault('timeout_not_allowed', `A run may take ${allowed} seconds at the most`, {
      param: 'timeout_seconds',
    })
  }

  const start = (ctx: Ctx, uuid: string, { started }: Accepted): void => {
    if (started) deps.sender.send({ org: ctx.org, run: uuid, epoch: 1, segment: 1, step: 1 })
    else deps.wakeups.publish(queueChannel, uuid)
  }

  /** The run when it has settled, or as it stands when the wait is over. */
  const awaitSettled = async (ctx: Ctx, uuid: string, follower: Follower): Promise<WireRun> => {
    follower.arm()
    const ended = await raceSettled(follower, ctx)
    return ended ?? toWire(await get(ctx.org, uuid))
  }

  const joinTwin = async (ctx: Ctx, uuid: string): Promise<Answer<WireRun>> => {
    const follower = ctx.prefer.waitMs > 0 ? await deps.feed.follow(uuid) : undefined
    try {
      const run = toWire(await get(ctx.org, uuid))
      const settled = isSettled(run.status) || !follower ? run : await awaitSettled(ctx, uuid, follower)
      return answer(ctx, settled, { 'idempotency-replayed': 'true' })
    } finally {
      follower?.close()
    }
  }

  /** Whoever waits subscribes first: the end may come before the answer to the accept. */
  const createOnce = async (ctx: Ctx, uuid: string, body: CreateRun): Promise<Answer<WireRun> | null> => {
    const following = ctx.prefer.waitMs > 0 ? deps.feed.follow(uuid) : undefined
    try {
      const accepted = await acceptOnce(ctx, uuid, body)
      if (!accepted) return null
      start(ctx, uuid, accepted)
      const asked = { id: uuid, agent_id: toUuid(body.agent_id), input: body.input, metadata: body.metadata ?? {} }
      const fresh = toWire(newRun(asked, accepted))
      const follower = await following
      if (!follower) return answer(ctx, fresh, {})
      const run = await awaitSettled(ctx, uuid, follower).catch((error: unknown) => {
        // It is accepted, whatever can be read of it now: whoever is refused would ask for it a second time.
        if (error instanceof DatabaseUnavailable) return fresh
        throw error
      })
      return answer(ctx, run, {})
    } finally {
      await following?.then((follower) => follower.close())
    }
  }

  const findReplayed = async (ctx: Ctx, body: CreateRun): Promise<string | null> => {
    if (ctx.idempotencyKey === undefined) return null
    await checkAgent(ctx, body)
    return findTwinRun(ctx, body)
  }

  // A claim can lose to a key that expires in the same moment, and another version can be released; then the next try
  // wins. All tries have one id: without a key it says which side of a release the run falls on.
  const tries = 4
  const contended = () => new Fault('unavailable', 'The idempotency key is contended', { retryAfterSeconds: 1 })

  return {
    get: async ({ org }, id) => toWire(await get(org, toUuid(id))),
    create: async (ctx, body) => {
      await checkAgent(ctx, body)
      const uuid = toUuid(deps.newId('run'))
      for (let tried = 0; tried < tries; tried++) {
        const created = await createOnce(ctx, uuid, body)
        if (created) return created
        const holder = await findHolder(ctx, uuid, body)
        if (holder !== null) return joinTwin(ctx, holder)
      }
      throw contended()
    },
    accept: async (ctx, body) => {
      await checkAgent(ctx, body)
      const uuid = toUuid(deps.newId('run'))
      for (let tried = 0; tried < tries; tried++) {
        const accepted = await acceptOnce(ctx, uuid, body)
        if (accepted) {
          start(ctx, uuid, accepted)
          return { uuid, replayed: false }
        }
        const holder = await findHolder(ctx, uuid, body)
        if (holder !== null) return { uuid: holder, replayed: true }
      }
      throw contended()
    },
    findReplay: async (ctx, body) => {
      const uuid = await findReplayed(ctx, body)
      return uuid === null ? null : joinTwin(ctx, uuid)
    },
    findReplayed,
    list: async (ctx, page) => {
      const reach = await deps.agents.reach(ctx)
      // One that is outside is refused by name, not passed over in silence.
      if (page.agent_id && reach && !reach.has(toUuid(page.agent_id))) await deps.agents.get(ctx, page.agent_id)
      const rows = await listRuns(deps.app, ctx.org, { ...toRunPage(page), withinAgents: reach }, deps.clock.now())
      return toList(rows.map(toWire), page)
    },
    erase: async ({ org }, id) => {
      const uuid = toUuid(id)
      const run = await get(org, uuid)
      if (!isEnded(run.status)) {
        throw new Fault('run_not_ended', `Run ${id} is ${run.status}; its data can be erased once it has ended`)
      }
      await eraseRunData(deps.app, org, uuid)
      return toWire(await get(org, uuid))
    },
  }
}

/** The key decides the side, so that a retry falls on the same one; without it the run's own id does. */
const askedInput = (ctx: Ctx, uuid: string, { agent_id, input }: CreateRun): AskedInput => {
  const agentId = toUuid(agent_id)
  return { agentId, bucket: bucketOf(agentId, ctx.idempotencyKey ?? uuid), input }
}

const toRunPage = (page: ListRuns): RunPage => ({
  limit: pageSize(page) + 1,
  after: page.after === undefined ? null : toUuid(page.after),
  before: page.before === undefined ? null : toUuid(page.before),
  agentId: page.agent_id === undefined ? null : toUuid(page.agent_id),
  status: page.status ?? null,
  ...createdWithin(page),
  pipelineRunId: page.pipeline_run_id === undefined ? null : toUuid(page.pipeline_run_id),
  metadata: page.metadata ?? {},
})

/** It has ended, or it waits for a person: nothing more comes of it by waiting. */
const isSettled = (status: RunStatus): boolean => isEnded(status) || status === 'requires_action'

const raceSettled = async (follower: Follower, { prefer, draining }: Ctx): Promise<WireRun | null> => {
  if (draining.aborted) return null
  let timer: NodeJS.Timeout | undefined
  let stop: () => void = () => undefined
  const over = new Promise<null>((resolve) => {
    stop = () => resolve(null)
    timer = setTimeout(stop, prefer.waitMs)
    draining.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([follower.settled, over])
  } finally {
    clearTimeout(timer)
    draining.removeEventListener('abort', stop)
  }
}

const answer = (ctx: Ctx, run: WireRun, extra: Record<string, string>): Answer<WireRun> => {
  const ended = isEnded(run.status)
  return new Answer(run, {
    status: ended ? 200 : 202,
    headers: {
      'x-run-id': run.id,
      location: `/v2/runs/${run.id}`,
      ...(ctx.prefer.applied === undefined ? {} : { 'preference-applied': ctx.prefer.applied }),
      ...extra,
    },
  })
}
