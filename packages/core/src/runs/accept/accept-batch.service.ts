import { setTimeout as sleep } from 'node:timers/promises'
import { createBatcher } from '@ars/platform/db/batcher'
import type { Database } from '@ars/platform/db/database'
import { createSharedBatcher, type Grouped } from '@ars/platform/db/shared-batcher'
import { Contended, DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Load } from '@ars/platform/overload'
import { textSize } from '@ars/platform/text-size'
import { runsBounds } from '../bounds.ts'
import type { AdmissionService } from '../queue/admission.service.ts'
import {
  type Accepted,
  type AcceptRefusal,
  type AcceptSettings,
  acceptRuns,
  acceptRunsOfSeveral,
  type NewRun,
  shardExhaustedCode,
} from './accept.store.ts'
import { findCallRoomFor, type WithoutCall } from './monthly-quota.store.ts'
import { nearestRoom, shardOf } from './monthly-quota.ts'

/** `quota_exhausted`: all calls of the month are used. Nothing else about the run was checked. */
export type QuotaRefusal = AcceptRefusal | ({ kind: 'quota_exhausted'; secondsLeft: number } & WithoutCall)

export type QuotaVerdict = ({ kind: 'accepted' } & Accepted) | QuotaRefusal

type Deps = AcceptSettings & {
  app: Database
  load?: Load
  admission: Pick<AdmissionService, 'follow'>
  /** For tests. */
  pause?: (ms: number) => Promise<unknown>
}

/** `isShort`: calls of the organisation are used up, as far as this process knows, so that most of its runs are refused. */
export type Accept = ((org: string, run: NewRun) => Promise<QuotaVerdict>) & { isShort(org: string): boolean }

/**
 * Requests of an organisation without calls wait this long for each other, so that they share one transaction. A refusal
 * then costs the other organisations little, however many requests are refused.
 */
const refusalPauseMs = 50

/** How many runs one statement accepts, and how many such statements of one organisation run concurrently. */
const limitsOfBatch = {
  most: runsBounds.acceptedTogether.count,
  underWay: runsBounds.acceptsOfOrganisation.count,
  keyOf: (run: NewRun) => run.idempotency?.key,
} as const

/** Organisations that are remembered to have exhausted shards, or no call at all. A forgotten one is detected again. */
const maxShortOrgs = runsBounds.shortOrganisationsKnown.count

/** A batch that loses a race for the last calls of a shard tries again. Each lost race used up a call, so this ends soon. */
const maxTries = runsBounds.quotaTries.count

/** The result of one run of a batch. Other runs of the batch may be accepted when one fails. */
type Answered = { verdict: QuotaVerdict } | { error: unknown }

/**
 * Accepts runs within the quota of the month, many in one statement, also of several organisations. The statement limits its quota
 * shard to its share. When that shard is exhausted, this service looks for another one with room. So the quota costs
 * nothing until it is nearly used up, and no run is refused while a call is left.
 */
export const createAccept = (deps: Deps): Accept => {
  // Organisations with exhausted shards. For these the room is read first, because a failed attempt is wasted work.
  const shortOrgs = new Set<string>()

  // Organisations that had no call left at the last look. Some of their requests wait for the end of a pause.
  const emptyOrgs = new Set<string>()
  const pauses = new Map<string, Promise<unknown>>()
  const { pause = sleep } = deps

  const noteShort = (org: string): void => noteOrg(shortOrgs, org)

  /** The pause of the organisation. Its requests that arrive before the end continue in the same turn. */
  const pauseOf = (org: string): Promise<unknown> => {
    const present = pauses.get(org)
    if (present !== undefined) return present
    const started = pause(refusalPauseMs).finally(() => pauses.delete(org))
    pauses.set(org, started)
    return started
  }

  /** Null: the shard has too few calls left, and nothing was written. */
  const tryShard = async (quotaShard: number, org: string, runs: readonly NewRun[]): Promise<Answered[] | null> => {
    try {
      const { verdicts, look } = await acceptRuns(deps.app, org, runs, { ...deps, quotaShard })
      deps.admission.follow(look, org)
      return verdicts.map((verdict) => ({ verdict }))
    } catch (error) {
      if (!isShardExhausted(error)) throw error
      noteShort(org)
      return null
    }
  }

  /** Accepts as many as one shard takes. Null: another batch used the room first. */
  const acceptSome = async (org: string, runs: readonly NewRun[]): Promise<Answered[] | null> => {
    const { rooms, secondsLeft, withoutCall } = await findCallRoomFor(deps.app, org, runs)
    if (rooms.every(({ room }) => room > 0)) shortOrgs.delete(org)
    const shard = nearestRoom(rooms, ownShard(runs))
    if (!shard) {
      noteOrg(emptyOrgs, org)
      return runs.map(({ id }) => ({ verdict: { kind: 'quota_exhausted', secondsLeft, ...withoutCall(id) } }))
    }
    emptyOrgs.delete(org)
    return tryShard(shard.shard, org, runs.slice(0, shard.room))
  }

  const acceptPiecemeal = async (org: string, runs: readonly NewRun[]): Promise<Answered[]> => {
    const answered: Answered[] = []
    let batchSize = runs.length
    for (let tries = 0; answered.length < runs.length; tries++) {
      const rest = runs.slice(answered.length)
      const next = rest.slice(0, batchSize)
      try {
        if (tries >= maxTries) throw new Contended('The last calls of the month are contended')
        answered.push(...((await acceptSome(org, next)) ?? []))
      } catch (error) {
        // One invalid run must not fail the others: from here on each run is a batch, and only the invalid one fails.
        if (error instanceof DatabaseUnavailable) answered.push(...rest.map(() => ({ error })))
        else if (next.length === 1) answered.push({ error })
        else batchSize = 1
      }
    }
    return answered
  }

  const batching = {
    ...limitsOfBatch,
    bytesOf: ({ input }: NewRun) => textSize(input),
    ...(deps.load && { load: deps.load }),
    flush: async (org: string, runs: readonly NewRun[]) => {
      const answered = shortOrgs.has(org) ? null : await tryShard(ownShard(runs), org, runs)
      return answered ?? acceptPiecemeal(org, runs)
    },
  }

  /** A run whose quota shard is exhausted gets no answer here: `flush` looks for another shard. */
  const acceptTogether = async (asked: readonly Grouped<NewRun>[]): Promise<(Answered | undefined)[]> => {
    const runs = asked.map(({ group, item }) => ({ org: group, run: item }))
    const { verdicts, look } = await acceptRunsOfSeveral(deps.app, runs, deps)
    // The looks that follow find the other organisations, see docs/adr/0021-batches-hold-rows-of-several-organisations.md.
    deps.admission.follow(look, runs[0]?.org ?? '')
    return verdicts.map((verdict, at) => {
      if (verdict !== 'undecided') return { verdict }
      noteShort(runs[at]?.org ?? '')
      return undefined
    })
  }

  const batched = createSharedBatcher<NewRun, Answered>({
    ...batching,
    mayShare: (run, org) => mayShareAccept(run) && !shortOrgs.has(org),
    flushTogether: acceptTogether,
  })
  // A run of a batch whose item is taken fails its whole transaction, so these never share one with other runs.
  const batchedItems = createBatcher<NewRun, Answered>(batching)

  const accept = async (org: string, run: NewRun): Promise<QuotaVerdict> => {
    if (emptyOrgs.has(org)) await pauseOf(org)
    const answered = await (run.batchItem ? batchedItems : batched)(org, run)
    if ('error' in answered) throw answered.error
    return answered.verdict
  }
  return Object.assign(accept, { isShort: (org: string) => shortOrgs.has(org) })
}

/**
 * Whether a run may be accepted in one statement with runs of other organisations. The others need tables that the role of
 * batches does not have: those of pipelines, batches, demo keys and findings of policies.
 */
const mayShareAccept = (run: NewRun): boolean =>
  run.pipelineItem === undefined &&
  run.batchItem === undefined &&
  run.demoKeyId === undefined &&
  !run.checkSpend &&
  (run.findings ?? []).length + (run.redactions ?? []).length === 0

const noteOrg = (orgs: Set<string>, org: string): void => {
  if (orgs.size >= maxShortOrgs) orgs.delete(orgs.values().next().value as string)
  orgs.add(org)
}

const isShardExhausted = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === shardExhaustedCode

const ownShard = ([first]: readonly NewRun[]): number => shardOf(first?.id ?? '00')
