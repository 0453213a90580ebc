import { Answer, type RunId, type Run as WireRun } from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { createGather } from '@ars/platform/db/gather'
import { type IdMaker, toUuid } from '@ars/platform/id'
import type { AgentService } from '../agents/index.ts'
import type { Caller, Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import type { Feed, Follower } from './feed.service.ts'
import { acceptRuns, findRun, findTwin, type NewRun } from './run.store.ts'
import { isEnded, type Run, runIdOf, toWire } from './run.ts'
import type { Sender } from './sender.service.ts'

export type CreateRun = {
  agent_id: `ag_${string}`
  input: Record<string, unknown>
  metadata?: Record<string, string> | undefined
  timeout_seconds?: number | undefined
}

export type RunService = {
  /** Accepts a run and waits for its end as long as the caller wants. */
  create(ctx: Ctx, body: CreateRun): Promise<Answer<WireRun>>
  get(ctx: Pick<Caller, 'org'>, id: RunId): Promise<WireRun>
}

type Deps = {
  app: Database
  agents: AgentService
  feed: Feed
  sender: Sender
  newId: IdMaker
  relayAfterMs: number
}

/** How many runs of one organisation are accepted by one statement, and how many such statements are under way. */
const acceptGathering = { most: 32, underWay: 1, keyOf: (run: NewRun) => run.idempotency?.key } as const

export const createRuns = (deps: Deps): RunService => {
  const get = async (org: string, uuid: string): Promise<Run> => {
    const run = await findRun(deps.app, org, uuid)
    if (!run) throw new Fault('not_found', `No run ${runIdOf(uuid)}`)
    return run
  }

  const accepts = createGather({
    ...acceptGathering,
    flush: (org: string, runs: readonly NewRun[]) => acceptRuns(deps.app, org, runs, deps),
  })

  const accept = (ctx: Ctx, uuid: string, body: CreateRun) =>
    accepts(ctx.org, {
      id: uuid,
      agentId: toUuid(body.agent_id),
      input: body.input,
      metadata: body.metadata ?? {},
      timeoutSeconds: body.timeout_seconds ?? null,
      idempotency:
        ctx.idempotencyKey === undefined
          ? undefined
          : { key: ctx.idempotencyKey, fingerprint: sha256(canonicalJson(body)) },
    })

  /** Why nothing was accepted: a twin holds the key, or the agent takes no runs. */
  const findHolder = async (ctx: Ctx, body: CreateRun): Promise<string | null> => {
    const twin = ctx.idempotencyKey === undefined ? null : await findTwin(deps.app, ctx.org, ctx.idempotencyKey)
    if (twin) {
      if (!twin.fingerprint.equals(sha256(canonicalJson(body)))) {
        throw new Fault('idempotency_key_reused', 'This Idempotency-Key was used for another request', {
          param: 'Idempotency-Key',
        })
      }
      return twin.subject_id
    }
    const agent = await deps.agents.get(ctx, body.agent_id)
    if (agent.status === 'archived') {
      throw new Fault('agent_archived', `Agent ${body.agent_id} is archived`, { param: 'agent_id' })
    }
    return null
  }

  /** The run at its end, or as it stands when the wait is over. */
  const awaitEnd = async (ctx: Ctx, uuid: string, follower: Follower | undefined): Promise<WireRun> => {
    if (!follower) return toWire(await get(ctx.org, uuid))
    follower.arm()
    const ended = await raceEnd(follower, ctx)
    return ended ?? toWire(await get(ctx.org, uuid))
  }

  const joinTwin = async (ctx: Ctx, uuid: string): Promise<Answer<WireRun>> => {
    const follower = ctx.prefer.waitMs > 0 ? await deps.feed.follow(uuid) : undefined
    try {
      const run = toWire(await get(ctx.org, uuid))
      const settled = isEnded(run.status) ? run : await awaitEnd(ctx, uuid, follower)
      return answer(ctx, settled, { 'idempotency-replayed': 'true' })
    } finally {
      follower?.close()
    }
  }

  return {
    get: async ({ org }, id) => toWire(await get(org, toUuid(id))),
    create: async (ctx, body) => {
      // A claim can lose to a key that expires in the same moment; then the second try wins it.
      for (let tries = 0; tries < 3; tries++) {
        const uuid = toUuid(deps.newId('run'))
        // Whoever waits subscribes first: the end may come before the answer to the accept.
        const [follower, accepted] = await Promise.all([
          ctx.prefer.waitMs > 0 ? deps.feed.follow(uuid) : undefined,
          accept(ctx, uuid, body),
        ])
        try {
          if (accepted) {
            deps.sender.send({ org: ctx.org, run: uuid, epoch: 1, segment: 1, step: 1 })
            return answer(ctx, await awaitEnd(ctx, uuid, follower), {})
          }
        } finally {
          follower?.close()
        }
        const holder = await findHolder(ctx, body)
        if (holder !== null) return joinTwin(ctx, holder)
      }
      throw new Fault('unavailable', 'The idempotency key is contended', { retryAfterSeconds: 1 })
    },
  }
}

const raceEnd = async (follower: Follower, { prefer, draining }: Ctx): Promise<WireRun | null> => {
  if (draining.aborted) return null
  let timer: NodeJS.Timeout | undefined
  let stop: () => void = () => undefined
  const over = new Promise<null>((resolve) => {
    stop = () => resolve(null)
    timer = setTimeout(stop, prefer.waitMs)
    draining.addEventListener('abort', stop, { once: true })
  })
  try {
    return await Promise.race([follower.ended, over])
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
