import type { Policy, PolicyTrial } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { trialQuery, useTrialList } from '../../api/policies.ts'
import type { Column } from '../../ui/data-table.tsx'
import { count } from '../../ui/format.ts'
import { ListView } from '../../ui/list-view.tsx'
import { Time } from '../../ui/time.tsx'
import { PolicyFrame } from './policy-frame.tsx'
import { TrialBadge } from './trial-badge.tsx'
import { TrialForm } from './trial-form.tsx'
import { TrialView } from './trial-view.tsx'

/** What the policy would have done in past runs. */
export const TrialsPage = () => {
  const { policyId } = useParams({ from: '/app/policies/$policyId/trials' })
  return (
    <PolicyFrame policyId={policyId} part="Trials">
      {(policy) => <Trials policy={policy} />}
    </PolicyFrame>
  )
}

const Trials = ({ policy }: { policy: Policy }) => {
  const { trial } = useSearch({ from: '/app/policies/$policyId/trials' })
  const navigate = useNavigate()
  const open = (id: string) =>
    void navigate({ to: '/policies/$policyId/trials', params: { policyId: policy.id }, search: { trial: id } })
  return (
    <div className="flex min-w-0 flex-col gap-6 p-4">
      <TrialForm policy={policy} onStarted={open} />
      {trial !== undefined && <TrialView key={trial} policyId={policy.id} trialId={trial} />}
      <PastTrials policyId={policy.id} openId={trial} />
    </div>
  )
}

const columns: readonly Column<PolicyTrial>[] = [
  { id: 'started', title: 'Started', width: '13rem', cell: ({ created_at }) => <Time at={created_at} /> },
  { id: 'status', title: 'Status', width: '8rem', cell: ({ status }) => <TrialBadge status={status} /> },
  {
    id: 'period',
    title: 'Runs created',
    cell: ({ since, until }) => (
      <>
        <Time at={since} /> to <Time at={until} />
      </>
    ),
  },
  { id: 'version', title: 'Version', width: '5rem', align: 'end', cell: ({ policy_version }) => policy_version },
  { id: 'runs', title: 'Runs judged', width: '7rem', align: 'end', cell: ({ coverage }) => count(coverage.runs) },
]

const PastTrials = ({ policyId, openId }: { policyId: string; openId: string | undefined }) => {
  const list = useTrialList(policyId)
  // The open trial is followed; the list is not.
  const { data: open } = useQuery({ ...trialQuery(policyId, openId ?? ''), enabled: openId !== undefined })
  const rows = list.rows.map((trial) => (trial.id === open?.id ? open : trial))
  return (
    <section aria-label="Trials" className="min-w-0">
      <h2 className="mb-2 font-semibold">Trials</h2>
      <div className="overflow-hidden rounded-lg border border-line">
        <ListView
          label="Trials of the policy"
          isInline
          list={{ ...list, rows }}
          columns={columns}
          openId={openId}
          hrefOf={({ id }) => `/policies/${policyId}/trials?trial=${id}`}
          empty={<p className="p-3 text-ink-2">The policy was not tried yet.</p>}
        />
      </div>
    </section>
  )
}
