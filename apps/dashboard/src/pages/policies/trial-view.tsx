import type { PolicyTrial, TriedRule } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { isTrialUnderWay, trialQuery, usePolicyChanges } from '../../api/policies.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { count, duration, shortId, usd } from '../../ui/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { ActionBadge } from './rule-list.tsx'
import { TrialBadge } from './trial-badge.tsx'
import { actedOf, progressShare, progressWords, shareOf } from './trial-words.ts'

/** Progress and result of one trial. */
export const TrialView = ({ policyId, trialId }: { policyId: string; trialId: string }) => {
  const { data: trial, error, refetch } = useQuery(trialQuery(policyId, trialId))
  if (!trial) {
    return error ? <Problem title="Trial: not loaded" error={error} onRetry={() => void refetch()} /> : <Skeleton />
  }
  return (
    <section aria-label="Trial" className="flex min-w-0 flex-col gap-4 rounded-lg border border-line p-4">
      <Head trial={trial} />
      <Coverage trial={trial} />
      <Rules trial={trial} />
      <Samples trial={trial} />
    </section>
  )
}

const Head = ({ trial }: { trial: PolicyTrial }) => {
  const reason = useReason('policies:write')
  const { cancelTrial } = usePolicyChanges()
  const [isBusy, setIsBusy] = useState(false)
  const cancel = async () => {
    setIsBusy(true)
    try {
      await cancelTrial(trial.policy_id, trial.id)
    } catch (error) {
      toastProblem('Cancel trial: failed', error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
      <h2 className="font-semibold">Trial of version {trial.policy_version}</h2>
      <TrialBadge status={trial.status} />
      <span>
        Runs from <Time at={trial.since} /> to <Time at={trial.until} />
      </span>
      {isTrialUnderWay(trial) && (
        <progress aria-label="Progress of the trial" value={progressShare(trial)} className="h-2 w-40 accent-accent" />
      )}
      <span role="status" className="num text-ink-2">
        {progressWords(trial)}
      </span>
      {isTrialUnderWay(trial) && (
        <Button isSmall className="ms-auto" isBusy={isBusy} reason={reason} onClick={() => void cancel()}>
          Cancel trial
        </Button>
      )}
    </div>
  )
}

const Coverage = ({ trial: { coverage, delay_ms, cost_usd, max_cost_usd } }: { trial: PolicyTrial }) => (
  <div className="max-w-prose">
    <h3 className="mb-1 font-medium text-ink-2">What it could see</h3>
    <DetailList
      items={[
        ['Judged', `${count(coverage.runs)} runs with ${count(coverage.contents)} contents`],
        ['Erased', `${count(coverage.erased)} runs: nothing of them can be judged`],
        ['Expired', `about ${count(coverage.expired)} runs: they are deleted`],
        ['Redacted before', `${count(coverage.redacted)} runs: what an earlier policy replaced is not found again`],
        [
          'Added delay',
          delay_ms.p50 === null
            ? '–'
            : `${duration(delay_ms.p50)} for half of the contents, ${duration(delay_ms.p95)} for 95 % at most`,
        ],
        [
          'Cost',
          max_cost_usd === null
            ? 'None: models and servers were not asked'
            : `${usd(cost_usd)} of at most ${usd(max_cost_usd)}`,
        ],
      ]}
    />
  </div>
)

type Row = TriedRule & { id: string }

const columns: readonly Column<Row>[] = [
  { id: 'rule', title: 'Rule', cell: ({ rule }) => <code className="font-mono text-xs">{rule}</code> },
  { id: 'check', title: 'Check', width: '9rem', cell: ({ check }) => wordOf(words.policyChecks, check) },
  { id: 'action', title: 'Action', width: '9rem', cell: ({ action }) => <ActionBadge action={action} /> },
  {
    id: 'acted',
    title: 'Would have acted',
    width: '12rem',
    align: 'end',
    cell: (row) => `${count(actedOf(row))} of ${count(row.contents)}`,
  },
  { id: 'share', title: 'Share', width: '5rem', align: 'end', cell: (row) => shareOf(actedOf(row), row.contents) },
  { id: 'runs', title: 'Runs', width: '5rem', align: 'end', cell: ({ runs }) => count(runs) },
  { id: 'failed', title: 'Not checked', width: '7rem', align: 'end', cell: ({ failed }) => count(failed) },
  { id: 'skipped', title: 'Skipped', width: '6rem', align: 'end', cell: ({ skipped }) => count(skipped) },
]

const Rules = ({ trial }: { trial: PolicyTrial }) => (
  <div className="min-w-0">
    <h3 className="mb-1 font-medium text-ink-2">What its rules would have done</h3>
    <div className="overflow-hidden rounded-lg border border-line">
      <DataTable
        label="Results of the rules"
        isInline
        columns={columns}
        rows={trial.rules.map((rule) => ({ ...rule, id: rule.rule }))}
      />
    </div>
  </div>
)

const Samples = ({ trial }: { trial: PolicyTrial }) => {
  if (trial.samples.length === 0) {
    return isTrialUnderWay(trial) ? null : <p className="text-ink-2">The rules found nothing in these runs.</p>
  }
  return (
    <div className="min-w-0">
      <h3 className="mb-1 font-medium text-ink-2">Examples</h3>
      <ul aria-label="Examples" className="flex flex-col gap-1">
        {trial.samples.map(({ run_id, rule, stage, action, excerpt }, n) => (
          <li
            // biome-ignore lint/suspicious/noArrayIndexKey: one rule can find the same text twice in a run.
            key={n}
            className="flex flex-wrap items-center gap-x-3 gap-y-1 border-line/60 border-b py-1"
          >
            <Link to="/runs/$runId" params={{ runId: run_id }} className="font-mono text-accent text-xs underline">
              {shortId(run_id)}
            </Link>
            <ActionBadge action={action} />
            <span className="text-ink-3 text-xs">
              {rule} in {wordOf(words.policyStages, stage)}
            </span>
            <span className="min-w-0 break-words [unicode-bidi:isolate]">{excerpt}</span>
          </li>
        ))}
      </ul>
    </div>
  )
}
