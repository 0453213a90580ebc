import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ReactNode, useEffect } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { useMemberNames } from '../../api/members.ts'
import { askingPipelineRunsQuery } from '../../api/pipeline-runs.ts'
import { madeDecisionQuery } from '../../api/runs.ts'
import { useMay } from '../../session.ts'
import { Banner } from '../../ui/banner.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { duration } from '../../ui/format.ts'
import { PageHeader } from '../../ui/page-header.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { Decision, DecisionNotice } from '../runs/decision.tsx'
import { type ApprovalRow, toolLine } from './approval-rows.ts'
import { PipelineQuestions } from './pipeline-questions.tsx'
import { useApprovals } from './use-approvals.ts'

/** Everything that waits for a person, the one that expires next first, with the decision beside the list. */
export const ApprovalsPage = () => {
  const { run, action }: { run?: string; action?: string } = useSearch({ from: '/app/approvals' })
  const navigate = useNavigate({ from: '/approvals' })
  const { rows, hasMore, isPending, error, refetch, news, onDecided, onLost } = useApprovals()
  const { data: asking = [] } = useQuery({ ...askingPipelineRunsQuery, enabled: useMay('pipelines:read') })
  const open = rows.find(({ id }) => id === action) ?? rows.find((row) => row.run.id === run)
  const columns = useColumns()
  useKeys()
  const decided = (row: ApprovalRow) => {
    const next = rows[rows.indexOf(row) + 1] ?? rows[rows.indexOf(row) - 1]
    onDecided(row.id)
    toast('The decision is sent')
    void navigate({ search: next ? { action: next.id } : {}, replace: true })
    focusRow(next?.id)
  }
  return (
    <>
      <PageHeader title="Approvals" />
      <p role="status" className="sr-only">
        {news}
      </p>
      {hasMore && (
        <Banner tone="info">More runs wait than are shown here: the newest 300 are sorted by their deadline.</Banner>
      )}
      <PipelineQuestions runs={asking} />
      {isPending && <Skeleton />}
      {error && rows.length === 0 && <Problem title="Approvals: not loaded" error={error} onRetry={refetch} />}
      {!isPending && !error && rows.length === 0 && asking.length === 0 && (
        <EmptyState title="Nothing waits for a decision">
          When an agent asks for an approval or for information, the question appears here.
        </EmptyState>
      )}
      {rows.length > 0 && (
        <div className="grid min-h-0 flex-1 grid-rows-[minmax(10rem,1fr)_auto] lg:grid-cols-[minmax(0,1fr)_24rem] lg:grid-rows-1">
          <div className="flex min-h-0 min-w-0 flex-col" data-approvals>
            <DataTable
              label="Approvals"
              rows={rows}
              columns={columns}
              openId={open?.id}
              hrefOf={({ id }) => `/approvals?action=${encodeURIComponent(id)}`}
            />
          </div>
          <aside aria-label="Decision" className="min-w-0 overflow-auto border-line max-lg:border-t lg:border-s">
            {open ? (
              <Panel key={open.id} row={open} onDecided={() => decided(open)} onLost={() => onLost(open.id)} />
            ) : (
              <p className="p-4 text-ink-3">
                Choose a row to decide. Keys: j and k walk, Enter opens, a goes to Approve, r goes to Reject.
              </p>
            )}
          </aside>
        </div>
      )}
    </>
  )
}

const Panel = ({ row, onDecided, onLost }: { row: ApprovalRow; onDecided(): void; onLost(): void }) => {
  const agentName = useAgentName()
  return (
    <>
      <p className="px-4 pt-3 text-ink-2">
        {agentName(row.run.agent_id)},{' '}
        <Link
          to="/runs/$runId"
          params={{ runId: row.run.id }}
          className="font-mono text-accent text-xs hover:underline"
        >
          {row.run.id}
        </Link>
      </p>
      {row.isGone ? (
        <DecisionNotice runId={row.run.id} actionId={row.action.id} />
      ) : (
        <Decision runId={row.run.id} action={row.action} onDecided={onDecided} onLost={onLost} />
      )}
    </>
  )
}

const useColumns = (): readonly Column<ApprovalRow>[] => {
  const agentName = useAgentName()
  return [
    {
      id: 'agent',
      title: 'Agent',
      width: '8rem',
      cell: ({ run }) => <span className="font-medium">{agentName(run.agent_id)}</span>,
    },
    {
      id: 'question',
      title: 'Question',
      cell: (row) =>
        row.isGone ? (
          <DecidedNote row={row} />
        ) : (
          <span className="[unicode-bidi:isolate]">{row.action.message.slice(0, 300)}</span>
        ),
    },
    {
      id: 'call',
      title: 'Tool call',
      width: '8rem',
      cell: ({ action }) => (
        <code dir="ltr" className="font-mono text-xs [unicode-bidi:isolate]">
          {toolLine(action.tool_call)}
        </code>
      ),
    },
    {
      id: 'since',
      title: 'Waiting since',
      width: '6.5rem',
      cell: ({ action }) => <Time at={action.created_at} isRelative />,
    },
    { id: 'expires', title: 'Expires in', width: '6.5rem', cell: ({ action }) => <ExpiresIn at={action.expires_at} /> },
  ]
}

const ExpiresIn = ({ at }: { at: string }) => {
  const leftMs = Date.parse(at) - useNow(1_000)
  return <span className="num">{leftMs > 0 ? duration(leftMs) : 'Expired'}</span>
}

/** By whom the question of a row was decided, or that it no longer waits. */
const DecidedNote = ({ row }: { row: ApprovalRow }): ReactNode => {
  const nameOf = useMemberNames()
  const { data: decision } = useQuery(madeDecisionQuery(row.run.id, row.action.id))
  return (
    <span role="status" className="text-ink-2">
      {decision ? `${wordOf(words.decisions, decision.type)} by ${nameOf(decision.by)}` : 'No longer waits'}
    </span>
  )
}

const focusRow = (id: string | undefined): void => {
  if (id === undefined) return
  requestAnimationFrame(() =>
    document.querySelector<HTMLElement>(`[data-approvals] [data-row-id="${CSS.escape(id)}"] a`)?.focus(),
  )
}

/** `j` and `k` enter the list, `a` and `r` go to Approve and Reject. No key decides. */
const useKeys = (): void => {
  const { shortcuts } = usePreferences()
  useEffect(() => {
    if (shortcuts === 'off') return
    let last = ''
    const onKey = (event: KeyboardEvent) => {
      const before = last
      last = event.key
      const target = event.target as HTMLElement
      const isTyping = target.isContentEditable || target.matches('input, textarea, select, [role=textbox]')
      // `g a` and `g r` go to other pages.
      if (event.metaKey || event.ctrlKey || event.altKey || isTyping || before === 'g') return
      const wanted = { a: 'approve', r: 'reject' }[event.key]
      if (wanted !== undefined) {
        document.querySelector<HTMLElement>(`[data-decide="${wanted}"]`)?.focus()
      } else if ((event.key === 'j' || event.key === 'k') && target.closest('[data-approvals]') === null) {
        document.querySelector<HTMLElement>('[data-approvals] a[data-row]')?.focus()
      }
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [shortcuts])
}
