import {
  type AgentId,
  Answer,
  limits,
  type PolicyId,
  type PolicyTrialId,
  type TryPolicy,
  type PolicyTrial as WireTrial,
} from '@ars/contract'
import type { Clock } from '@ars/platform/clock'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database } from '@ars/platform/db/database'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { lockPolicySet } from '../../access/index.ts'
import { auditOf, recordAudit } from '../../audit/index.ts'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { pageSize, toList } from '../../page.ts'
import { quantile } from '../../usage/index.ts'
import { noSuchPolicy, requireOpen } from '../policy/policy.service.ts'
import { findPolicy, readPolicy } from '../policy/policy.store.ts'
import type { Tally } from './tally.ts'
import { cancelTrial, countOpenTrials, findTrial, insertTrial, listTrials, readTrial } from './trial.store.ts'
import { type Trial, toWireTrial } from './trial.ts'

export type TrialService = {
  /** Starts a trial; a periodic job continues it. */
  create(ctx: Ctx, asked: TryPolicy): Promise<Answer<WireTrial>>
  /** The trial of an earlier request with the same key, or null. */
  findReplay(ctx: Ctx, asked: TryPolicy): Promise<Answer<WireTrial> | null>
  list(ctx: Ctx, page: ListTrials): Promise<ReturnType<typeof toList<WireTrial>>>
  get(ctx: Ctx, ids: TrialIds): Promise<WireTrial>
  /** An ended trial stays unchanged. */
  cancel(ctx: Ctx, ids: TrialIds): Promise<WireTrial>
}

type TrialIds = { id: PolicyId; trial_id: PolicyTrialId }
type ListTrials = {
  id: PolicyId
  limit?: number | undefined
  after?: PolicyTrialId | undefined
  before?: PolicyTrialId | undefined
}

type Deps = {
  app: Database
  newId: IdMaker
  clock: Clock
  /** Throws if the organisation has no such agent. */
  agents: { get(ctx: Ctx, id: AgentId): Promise<unknown> }
}

export const createTrials = ({ app, newId, clock, agents }: Deps): TrialService => {
  const onceOf = (ctx: Ctx, asked: TryPolicy): Once<WireTrial> => {
    const id = toUuid(newId('ptr'))
    const policyId = toUuid(asked.id)
    const answer = (trial: Trial) =>
      new Answer(wire(trial), {
        headers: { location: `/v2/policies/${asked.id}/trials/${fromUuid('ptr', trial.id)}` },
      })
    return {
      thing: 'policy_trial',
      fingerprint: sha256(canonicalJson(asked)),
      id,
      replay: async (found) =>
        answer(required(await findTrial(app, ctx.org, { policyId, id: found }), asked.id, found)),
      create: async (tx) => {
        // Trials of an organisation begin one after the other, so that the limit holds.
        await lockPolicySet(tx, ctx.org)
        const policy = requireOpen(await readPolicy(tx, ctx.org, policyId), asked.id)
        const { since, until } = periodOf(asked, clock.now())
        if ((await countOpenTrials(tx, ctx.org)) >= limits.trialsUnderWay) throw tooMany()
        const trial = {
          id,
          policyId,
          policyVersion: policy.version,
          since,
          until,
          agentId: asked.agent_id === undefined ? null : toUuid(asked.agent_id),
          sample: asked.sample,
          maxCostUsd: asked.max_cost_usd ?? null,
          by: toUuid(ctx.actor.id),
          byType: ctx.actor.type,
        }
        await insertTrial(tx, ctx.org, trial, { maxKept: limits.trialsKept })
        const after = { trial_id: fromUuid('ptr', id), since: since.toISOString(), until: until.toISOString() }
        const act = { action: 'policy.trial_started', subject: asked.id, after }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        return answer(required(await readTrial(tx, ctx.org, { policyId, id }), asked.id, id))
      },
    }
  }

  return {
    create: async (ctx, asked) => {
      const replay = await findReplayOf(app, ctx, onceOf(ctx, asked))
      if (replay) return replay
      if (asked.agent_id !== undefined) await agents.get(ctx, asked.agent_id)
      return createOnce(app, ctx, onceOf(ctx, asked))
    },
    findReplay: (ctx, asked) => findReplayOf(app, ctx, onceOf(ctx, asked)),
    list: async (ctx, page) => {
      const policyId = toUuid(page.id)
      if (!(await findPolicy(app, ctx.org, policyId))) throw noSuchPolicy(policyId)
      const rows = await listTrials(app, ctx.org, {
        policyId,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(wire), page)
    },
    get: async (ctx, ids) => {
      const id = toUuid(ids.trial_id)
      return wire(required(await findTrial(app, ctx.org, { policyId: toUuid(ids.id), id }), ids.id, id))
    },
    cancel: (ctx, ids) =>
      app.transaction(ctx.org, async (tx) => {
        const found = { policyId: toUuid(ids.id), id: toUuid(ids.trial_id) }
        required(await readTrial(tx, ctx.org, found), ids.id, found.id)
        if (await cancelTrial(tx, ctx.org, found)) {
          const act = { action: 'policy.trial_cancelled', subject: ids.id, after: { trial_id: ids.trial_id } }
          await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        }
        return wire(required(await readTrial(tx, ctx.org, found), ids.id, found.id))
      }),
  }
}

const wire = (trial: Trial): WireTrial => toWireTrial(trial, delayOf(trial.result))

const delayOf = ({ delays }: Tally): WireTrial['delay_ms'] => {
  const ms = (q: number): number | null => {
    const us = quantile(delays, q)
    return us === null ? null : Math.round(us) / 1_000
  }
  return { p50: ms(0.5), p95: ms(0.95) }
}

const dayMs = 86_400_000

/** The future has no runs: a trial ends now at the latest. */
const periodOf = (asked: TryPolicy, now: Date): { since: Date; until: Date } => {
  const since = new Date(asked.since)
  const wanted = asked.until === undefined ? now : new Date(asked.until)
  const until = wanted < now ? wanted : now
  if (since >= until)
    throw new Fault('input_invalid', 'since must lie before until and in the past', { param: 'since' })
  if (until.getTime() - since.getTime() > limits.trialMaxDays * dayMs) {
    throw new Fault('input_invalid', `A trial covers at most ${limits.trialMaxDays} days`, { param: 'since' })
  }
  return { since, until }
}

const tooMany = (): Fault =>
  new Fault('limit_reached', `An organisation has at most ${limits.trialsUnderWay} trials in progress`)

const required = (trial: Trial | null, policy: PolicyId, id: string): Trial => {
  if (!trial) throw new Fault('not_found', `Policy ${policy} has no trial ${fromUuid('ptr', id)}`)
  return trial
}
