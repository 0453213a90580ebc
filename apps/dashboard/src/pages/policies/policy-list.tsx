import { type Policy, type PolicyStatus, policyStatuses } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { policyAttachmentsQuery, usePolicyList } from '../../api/policies.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip } from '../../ui/filter-bar.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Time } from '../../ui/time.tsx'
import { words } from '../../ui/words.ts'
import { attachmentWords } from './attachment-words.ts'
import { PoliciesHeader } from './policies-tabs.tsx'
import { PolicyBadge } from './policy-badge.tsx'
import { Templates } from './template-cards.tsx'

/** The policies that are not archived are shown first: archived ones do nothing. */
const usual: readonly PolicyStatus[] = ['active', 'ended']

export const PolicyListPage = () => {
  const { status }: { status?: string } = useSearch({ from: '/app/policies' })
  const navigate = useNavigate()
  const chosen = policyStatuses.filter((each) => status?.split(',').includes(each))
  const list = usePolicyList(chosen.length === 0 ? usual : chosen)
  const clear = () => void navigate({ to: '/policies', search: {} })
  const toggle = (one: PolicyStatus) => {
    const next = chosen.includes(one) ? chosen.filter((each) => each !== one) : [...chosen, one]
    void navigate({ to: '/policies', search: next.length === 0 ? {} : { status: next.join(',') }, replace: true })
  }
  return (
    <>
      <PoliciesHeader title="Policies" />
      <FilterBar onClear={chosen.length > 0 ? clear : undefined}>
        {policyStatuses.map((one) => (
          <FilterChip
            key={one}
            label={words.policyStatuses[one]}
            isOn={chosen.includes(one)}
            onToggle={() => toggle(one)}
          />
        ))}
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Policies"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/policies/${id}`}
        empty={
          chosen.length > 0 ? (
            <EmptyState title="No policy has this state" action={<Button onClick={clear}>Clear</Button>} />
          ) : (
            <>
              <EmptyState title="No policies yet">
                A policy judges what enters a run and what leaves it. It blocks, redacts, asks a person, or records what
                it finds. Adopt a template, or write your own rules.
              </EmptyState>
              <Templates />
            </>
          )
        }
      />
    </>
  )
}

const columns: readonly Column<Policy>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name }) => <span className="font-medium [unicode-bidi:isolate]">{name}</span>,
  },
  { id: 'mode', title: 'Mode', width: '9rem', cell: (policy) => <PolicyBadge policy={policy} /> },
  {
    id: 'until',
    title: 'Shadow until',
    width: '12rem',
    cell: ({ shadow_until }) => (shadow_until === null ? '–' : <Time at={shadow_until} />),
  },
  { id: 'rules', title: 'Rules', width: '5rem', align: 'end', cell: ({ rules }) => rules.length },
  { id: 'attached', title: 'Attached to', width: '16rem', cell: (policy) => <AttachedTo policy={policy} /> },
  {
    id: 'template',
    title: 'Template',
    width: '12rem',
    cell: ({ template }) => (template === null ? '–' : <code className="font-mono text-xs">{template}</code>),
  },
  { id: 'updated', title: 'Updated', width: '12rem', cell: ({ updated_at }) => <Time at={updated_at} /> },
]

/** Asked for each row that is drawn: the list of policies does not say it. */
const AttachedTo = ({ policy }: { policy: Policy }) => {
  const { data } = useQuery({ ...policyAttachmentsQuery(policy.id), enabled: policy.status !== 'archived' })
  if (policy.status === 'archived') return '–'
  return data === undefined ? '…' : attachmentWords(data)
}
