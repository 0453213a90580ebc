import { limits, type Plan, plans } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { preferIndexes } from '@ars/platform/db/plan'
import { sql, statement, type Uuid } from '@ars/platform/db/statement'
import { idBounds } from '@ars/platform/id-range'
import { type BatchItem, claimBatchItems } from '../../batches/index.ts'
import type { Finding } from '../../guardrails/index.ts'
import { itemFieldsOf, type PipelineItemRef } from '../../pipelines/index.ts'
import {
  type AdmissionResult,
  type AdmissionRow,
  type AdmissionSettings,
  toAdmissionResult,
} from '../queue/admission-result.ts'
import { admit } from '../queue/admit.sql.ts'
import { type CheckSpend, toSpendRow } from '../run/check-spend.ts'
import { type Redaction, toEventData } from '../run/guarded-run.ts'
import {
  type Accepted,
  type AcceptRow,
  accepted,
  acceptItems,
  acceptStatement,
  type Refusal,
  releaseColumns,
  sidesOfA,
} from './accept.sql.ts'
import { acceptedSeveral, acceptSeveral, type SharedAcceptRow } from './accept-several.sql.ts'
import type { AgentRelease } from './agent-release.ts'
import { budgetSubjectsOf } from './budget-subjects.ts'
import { shardOf } from './monthly-quota.ts'

export type NewRun = {
  id: string
  agentId: string
  input: unknown
  metadata: Record<string, string>
  /** Null: the timeout of the agent, or the default. */
  timeoutSeconds: number | null
  /** The longest timeout that the key allows; undefined: only the organisation limits it. */
  maxTimeoutSeconds?: number | undefined
  /** Of 10,000: selects the side of a canary release, see `bucketOf`. */
  bucket: number
  /** The version of the agent whose input schema accepts the input; null: the input was not checked. */
  checkedVersion: number | null
  author: RunAuthor
  /** The demo key that limits the run; undefined: none does. */
  demoKeyId?: string | undefined
  /** The key whose budget the run counts against; undefined: a person creates it. */
  budgetKeyId?: string | undefined
  idempotency: { key: string; fingerprint: Buffer } | undefined
  /** The policies that judged the input, and what they found. Null: none is in force. */
  policySetId: string | null
  findings?: readonly Finding[] | undefined
  redactions?: readonly Redaction[] | undefined
  /** What models have cost that judged the input. */
  checkSpend?: CheckSpend | null | undefined
  /** The stored form; undefined: the run is in no trace. */
  traceContext?: string | undefined
  /** The attempt of an item of a pipeline run, which the run claims. */
  pipelineItem?: PipelineItemRef | undefined
  /** The item of a batch for which the run is accepted. */
  batchItem?: BatchItem | undefined
}

/** Who creates a run. `owner`: the demo key or token that sees only its own runs; null for all others. */
export type RunAuthor = { readonly type: 'key' | 'user'; readonly id: string; readonly owner: string | null }

/** The bytes that an organisation may store, by plan. Missing: unlimited. */
type StorageLimits = Partial<Readonly<Record<Plan, number>>>

export type AcceptSettings = AdmissionSettings & {
  storageLimits?: StorageLimits
  simulatedModels?: 'on' | 'off'
}

export type AcceptRefusal = { kind: Refusal }

/** What became of a run that was offered. */
export type AcceptVerdict = ({ kind: 'accepted' } & Accepted) | AcceptRefusal

export type { Accepted }

/**
 * Accepts runs: for each the claim of its idempotency key, the call, the run and its first event, in one transaction and
 * one round trip. The last statement admits what may start. The run gets its version here and keeps it. No two runs may
 * have the same key. Rejects with the code `shardExhaustedCode`, and writes nothing, if the quota shard has fewer calls
 * left than there are runs.
 */
export const acceptRuns = async (
  db: Database,
  org: string,
  runs: readonly NewRun[],
  { quotaShard = shardOf(runs[0]?.id ?? '00'), ...settings }: AcceptSettings & { quotaShard?: number },
): Promise<{ verdicts: AcceptVerdict[]; look: AdmissionResult }> => {
  const runIds = runs.map(({ id }) => id)
  const hasLabels = runs.some(({ metadata }) => Object.keys(metadata).length > 0)
  const hasDemo = runs.some(({ demoKeyId }) => demoKeyId !== undefined)
  const findings = runs.flatMap(({ id, findings: found = [] }) =>
    found.map((each) => ({ run_id: id, data: toEventData(each, 0) })),
  )
  const redactions = runs.flatMap(({ id, redactions: hidden = [] }) =>
    hidden.map(({ kind, hash, number }) => ({ run_id: id, kind, number, hash: hash.toString('hex') })),
  )
  const spends = runs.flatMap(({ id, checkSpend }) => (checkSpend ? [{ run_id: id, ...toSpendRow(checkSpend) }] : []))
  const pipelineRunIds = [...new Set(runs.flatMap(({ pipelineItem: item }) => (item ? [item.pipelineRunId] : [])))]
  const parameters = parametersOf(org, runs, { quotaShard, ...settings })
  const [, rows, ...rest] = await db.batch<readonly unknown[]>(org, [
    preferIndexes(),
    pipelineRunIds.length > 0 ? acceptItems({ ...parameters, pipelineRunIds }) : acceptStatement(parameters),
    accepted.event({ org, runIds }),
    ...(hasLabels ? [accepted.labels({ org, runIds, ...idBounds(runIds) })] : []),
    ...(findings.length > 0 ? [accepted.findings({ org, findings: JSON.stringify(findings) })] : []),
    ...(redactions.length > 0 ? [accepted.redactions({ org, redactions: JSON.stringify(redactions) })] : []),
    ...(spends.length > 0 ? [accepted.checkSpend({ org, spends: JSON.stringify(spends) })] : []),
    ...(hasDemo ? [accepted.demoCalls({ org, runIds })] : []),
    ...batchStatements(org, runs),
    admit(settings, org),
  ])
  const verdicts = new Map<string, AcceptVerdict>(
    (rows as AcceptRow[]).map(({ id, refusal, ...row }) => [
      id,
      refusal === null ? { kind: 'accepted', ...row } : { kind: refusal },
    ]),
  )
  return {
    // Without a row, the organisation itself does not exist.
    verdicts: runs.map(({ id }) => verdicts.get(id) ?? { kind: 'no_agent' }),
    look: toAdmissionResult(rest.at(-1) as AdmissionRow[]),
  }
}

/** Runs of batches wait in a separate line. They are never accepted together with other runs, see `createAccept`. */
const batchStatements = (org: string, runs: readonly NewRun[]) => {
  const items = runs.flatMap(({ id, batchItem }) => (batchItem ? [{ id, ...batchItem }] : []))
  if (items.length === 0) return []
  const { firstId: firstBatch, lastId: lastBatch } = idBounds(items.map(({ batchId }) => batchId))
  const claims = items.map(({ id, batchId, number }) => ({ batch_id: batchId, number, run_id: id }))
  return [
    claimBatchItems({ org, items: JSON.stringify(claims), firstBatch, lastBatch }),
    accepted.batchLine({ org, runIds: items.map(({ id }) => id) }),
  ]
}

const parametersOf = (
  org: string,
  runs: readonly NewRun[],
  { quotaShard, ...settings }: AcceptSettings & { quotaShard: number },
) => ({
  org,
  runs: JSON.stringify(runs.map((run) => ({ ...toOffered(run), ...itemFieldsOf(run.pipelineItem) }))),
  runCount: runs.length,
  agentIds: [...new Set(runs.map(({ agentId }) => agentId))],
  budgetIds: [...new Set(runs.flatMap((run) => budgetSubjectsOf(org, run)))],
  quotaShard,
  demoCallsPerMonth: plans.demo.callsPerMonth,
  ...settingsOf(settings),
})

/** A run as the statements take it. */
const toOffered = (run: NewRun) => ({
  id: run.id,
  agent_id: run.agentId,
  input: run.input,
  metadata: run.metadata,
  timeout_seconds: run.timeoutSeconds,
  max_timeout_seconds: run.maxTimeoutSeconds,
  bucket: run.bucket,
  checked_version: run.checkedVersion,
  created_by: run.author.id,
  created_by_type: run.author.type,
  owner_id: run.author.owner,
  demo_key_id: run.demoKeyId,
  budget_key_id: run.budgetKeyId,
  key: run.idempotency?.key,
  fingerprint: run.idempotency?.fingerprint.toString('hex'),
  trace_context: run.traceContext,
  policy_set_id: run.policySetId,
})

const settingsOf = ({ storageLimits = {}, simulatedModels = 'on' }: AcceptSettings) => ({
  defaultTimeoutSeconds: limits.runTimeoutDefaultSeconds,
  queuedPerSlot: limits.queuedPerSlot,
  storageLimits: JSON.stringify(storageLimits),
  refusesSimulated: simulatedModels === 'off',
})

type RunOfOrg = { readonly org: string; readonly run: NewRun }

// crosses organisations: callers of several organisations who come at the same time share a statement and a commit. Each row carries
// its organisation, and row-level security confines the statement to these organisations.
/** `undecided`: nothing was written for this run, and `acceptRuns` decides. */
export const acceptRunsOfSeveral = async (
  db: Database,
  asked: readonly RunOfOrg[],
  settings: AcceptSettings,
): Promise<{ verdicts: (AcceptVerdict | 'undecided')[]; look: AdmissionResult }> => {
  const byOrg = Map.groupBy(asked, ({ org }) => org)
  const orgs = [...byOrg.keys()]
  const runOrgs = asked.map(({ org }) => org)
  const runIds = asked.map(({ run }) => run.id)
  const keyed = asked.flatMap(({ org, run }) =>
    run.idempotency === undefined ? [] : [{ org, run: run.id, key: run.idempotency.key }],
  )
  const agents = pairsOf(asked, ({ run }) => [run.agentId])
  const budgets = pairsOf(asked, ({ org, run }) => budgetSubjectsOf(org, run))
  const hasLabels = asked.some(({ run }) => Object.keys(run.metadata).length > 0)
  const [, accepting, ...rest] = await db.batchOf<readonly unknown[]>(orgs, [
    preferIndexes(),
    acceptSeveral({
      runs: JSON.stringify(asked.map(({ org, run }) => ({ org_id: org, ...toOffered(run) }))),
      orgs,
      runCounts: orgs.map((org) => byOrg.get(org)?.length ?? 0),
      quotaShards: orgs.map((org) => shardOf(byOrg.get(org)?.[0]?.run.id ?? '00')),
      agentOrgs: agents.map(({ org }) => org),
      agentIds: agents.map(({ id }) => id),
      budgetOrgs: budgets.map(({ org }) => org),
      budgetIds: budgets.map(({ id }) => id),
      ...settingsOf(settings),
    }),
    acceptedSeveral.event({
      runOrgs,
      runIds,
      keyOrgs: keyed.map(({ org }) => org),
      keys: keyed.map(({ key }) => key),
      keyRuns: keyed.map(({ run }) => run),
    }),
    ...(hasLabels ? [acceptedSeveral.labels({ runOrgs, runIds, ...idBounds(runIds) })] : []),
    admit(settings, orgs[0] ?? null),
  ])
  const rows = new Map((accepting as SharedAcceptRow[]).map((row) => [row.id, row]))
  return {
    verdicts: asked.map(({ run }) => toVerdict(rows.get(run.id))),
    look: toAdmissionResult(rest.at(-1) as AdmissionRow[]),
  }
}

const toVerdict = (row: SharedAcceptRow | undefined): AcceptVerdict | 'undecided' => {
  // Without a row, the organisation itself does not exist.
  if (!row) return { kind: 'no_agent' }
  const { id: _id, refusal, ...accepted } = row
  if (refusal === 'shard_exhausted') return 'undecided'
  return refusal === null ? { kind: 'accepted', ...accepted } : { kind: refusal }
}

/** Each pair of an organisation and an id once. */
const pairsOf = (
  asked: readonly RunOfOrg[],
  idsOf: (run: RunOfOrg) => readonly string[],
): { org: string; id: string }[] => {
  const pairs = asked.flatMap((each) => idsOf(each).map((id) => ({ org: each.org, id })))
  return [...new Map(pairs.map((pair) => [`${pair.org} ${pair.id}`, pair])).values()]
}

/** The releases of an agent, and the input schema of the side of this bucket. Null: there is no such agent. */
export const findRelease = async (
  db: Database,
  org: string,
  { agentId, bucket }: { agentId: string; bucket: number },
): Promise<AgentRelease | null> => {
  const [row] = await db.once(org, findSide({ org, agentId, bucket }))
  return row ?? null
}

/** The longest timeout that a run of the organisation may have. */
export const findMaxTimeout = async (db: Database, org: string): Promise<number> => {
  const [row] = await db.once(org, findTimeout({ org }))
  return row?.run_timeout_max_seconds ?? 0
}

/** The code of the error that `refuse_calls()` raises. */
export const shardExhaustedCode = 'ARQ01'

const findSide = statement<{ org: Uuid; agentId: Uuid; bucket: number }, AgentRelease>(
  'runs.find_release',
  sql`select a.status, a.live_version, a.canary_version, a.canary_percent, s.version, v.input_schema
     from (select a.id, a.status, ${releaseColumns} from agents a where a.org_id = :org and a.id = :agentId) a
     cross join lateral (${sidesOfA}) as s (version, deployment_id, first_bucket, end_bucket)
     join agent_versions v on v.org_id = :org and v.agent_id = a.id and v.version = s.version
    where s.first_bucket <= :bucket and :bucket < s.end_bucket`,
)

const findTimeout = statement<{ org: Uuid }, { run_timeout_max_seconds: number }>(
  'runs.find_max_timeout',
  sql`select run_timeout_max_seconds from organisations where id = :org`,
)
