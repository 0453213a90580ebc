import type { Database } from '@ars/platform/db/database'
import { idBounds } from '@ars/platform/id-range'
import { admit } from '../queue/admit.sql.ts'
import { type Look, type LookRow, toLook } from '../queue/look.ts'
import { type AcceptSettings, type AcceptVerdict, type NewRun, settingsOf, toOffered } from './accept.store.ts'
import { acceptedSeveral, acceptSeveral, type SharedAcceptRow } from './accept-several.sql.ts'
import { budgetSubjectsOf } from './budget-subjects.ts'
import { shardOf } from './monthly-quota.ts'

/**
 * Whether a run may be accepted in one statement with runs of other organisations. The others need tables that the role of
 * batches does not have: those of pipelines, batches, demo keys and findings of policies.
 */
export const mayShareAccept = (run: NewRun): boolean =>
  run.pipelineItem === undefined &&
  run.batchItem === undefined &&
  run.demoKeyId === undefined &&
  !run.checkSpend &&
  (run.findings ?? []).length + (run.redactions ?? []).length === 0

type RunOfOrg = { readonly org: string; readonly run: NewRun }

// crosses organisations: callers of several organisations who come at the same time share a statement and a commit. Each row carries
// its organisation, and row-level security confines the statement to these organisations.
/** `undecided`: nothing was written for this run, and `acceptRuns` decides. */
export const acceptRunsOfSeveral = async (
  db: Database,
  asked: readonly RunOfOrg[],
  settings: AcceptSettings,
): Promise<{ verdicts: (AcceptVerdict | 'undecided')[]; look: Look }> => {
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
  const answered = await db.batchOf<readonly unknown[]>(orgs, [
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
  const rows = new Map((answered[0] as SharedAcceptRow[]).map((row) => [row.id, row]))
  return {
    verdicts: asked.map(({ run }) => toVerdict(rows.get(run.id))),
    look: toLook(answered.at(-1) as LookRow[]),
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
