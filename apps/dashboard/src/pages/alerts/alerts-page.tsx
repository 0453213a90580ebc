import {
  type Alert,
  type AlertSeverity,
  type AlertStatus,
  alertSeverities,
  alertStatuses,
} from '@agent-run-service/sdk'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { useAlertList } from '../../api/alerts.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip } from '../../ui/filter-bar.tsx'
import { duration } from '../../ui/format.ts'
import { ListView } from '../../ui/list-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { words } from '../../ui/words.ts'
import { AlertBadge, SeverityBadge } from './alert-badges.tsx'
import { ChannelList } from './channel-list.tsx'
import { valueText } from './metrics.ts'
import { RuleList } from './rule-list.tsx'

type Search = { view?: 'rules' | 'channels'; status?: string; severity?: string; rule_id?: string }

/** What fires, what fired, the rules, and the chat channels that are told. */
export const AlertsPage = () => {
  const search: Search = useSearch({ from: '/app/alerts' })
  const navigate = useNavigate()
  const reason = useReason('alerts:write')
  const create = (
    <Button kind="primary" reason={reason} onClick={() => void navigate({ to: '/alert-rules/new' })}>
      <Plus aria-hidden size={14} /> New rule
    </Button>
  )
  return (
    <>
      <PageHeader title="Alerts">{create}</PageHeader>
      <nav aria-label="Alerts, rules and channels" className="flex shrink-0 gap-1 border-line border-b px-3">
        <View label="Alerts" isOpen={search.view === undefined} search={{}} />
        <View label="Rules" isOpen={search.view === 'rules'} search={{ view: 'rules' }} />
        <View label="Channels" isOpen={search.view === 'channels'} search={{ view: 'channels' }} />
      </nav>
      {search.view === undefined && <AlertList search={search} create={create} />}
      {search.view === 'rules' && <RuleList create={create} />}
      {search.view === 'channels' && <ChannelList />}
    </>
  )
}

const View = ({ label, isOpen, search }: { label: string; isOpen: boolean; search: Search }) => (
  <Link
    to="/alerts"
    search={search}
    aria-current={isOpen ? 'page' : false}
    activeProps={{}}
    className={`border-b-2 px-2 py-1.5 ${isOpen ? 'border-accent font-medium text-ink' : 'border-transparent text-ink-2 hover:text-ink'}`}
  >
    {label}
  </Link>
)

const AlertList = ({ search, create }: { search: Search; create: ReactNode }) => {
  const navigate = useNavigate()
  const statuses = chosenOf(alertStatuses, search.status)
  const severities = chosenOf(alertSeverities, search.severity)
  const list = useAlertList({
    ...(statuses.length > 0 && { status: statuses }),
    ...(severities.length > 0 && { severity: severities }),
    ...(search.rule_id !== undefined && { rule_id: search.rule_id }),
  })
  const set = (name: 'status' | 'severity', chosen: readonly string[]) => {
    const { [name]: _, ...rest } = search
    void navigate({
      to: '/alerts',
      search: { ...rest, ...(chosen.length > 0 && { [name]: chosen.join(',') }) },
      replace: true,
    })
  }
  const clear = () => void navigate({ to: '/alerts', search: {} })
  const isFiltered = Object.keys(search).length > 0
  return (
    <>
      <FilterBar onClear={isFiltered ? clear : undefined}>
        {alertStatuses.map((one) => (
          <FilterChip
            key={one}
            label={words.alertStatuses[one]}
            isOn={statuses.includes(one)}
            onToggle={() => set('status', toggled<AlertStatus>(statuses, one))}
          />
        ))}
        {alertSeverities.map((one) => (
          <FilterChip
            key={one}
            label={words.alertSeverities[one]}
            isOn={severities.includes(one)}
            onToggle={() => set('severity', toggled<AlertSeverity>(severities, one))}
          />
        ))}
        {search.rule_id !== undefined && <FilterChip label="Of one rule ✕" isOn onToggle={clear} />}
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Alerts"
        list={list}
        columns={useColumns()}
        hrefOf={({ id }) => `/alerts/${id}`}
        empty={
          isFiltered ? (
            <EmptyState title="No alert matches these filters" action={<Button onClick={clear}>Clear</Button>} />
          ) : (
            <EmptyState title="No alert has fired" action={create}>
              A rule watches a figure, such as the failure rate of an agent. When it passes a threshold, an alert fires
              and webhooks that subscribe to alert.triggered are told.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const chosenOf = <Value extends string>(values: readonly Value[], text: string | undefined): readonly Value[] =>
  values.filter((each) => text?.split(',').includes(each))

const toggled = <Value extends string>(chosen: readonly Value[], one: Value): readonly Value[] =>
  chosen.includes(one) ? chosen.filter((each) => each !== one) : [...chosen, one]

const useColumns = (): readonly Column<Alert>[] => {
  const nameOf = useAgentName()
  return [
    {
      id: 'rule',
      title: 'Rule',
      cell: ({ rule }) => <span className="font-medium [unicode-bidi:isolate]">{rule.name}</span>,
    },
    { id: 'status', title: 'Status', width: '7rem', cell: ({ status }) => <AlertBadge status={status} /> },
    { id: 'severity', title: 'Severity', width: '7rem', cell: ({ severity }) => <SeverityBadge severity={severity} /> },
    {
      id: 'value',
      title: 'Value',
      width: '13rem',
      cell: ({ rule, snapshot: { metric, value, threshold } }) =>
        `${valueText(metric, value)}, ${rule.operator} ${valueText(metric, threshold)}`,
    },
    {
      id: 'agent',
      title: 'Agent',
      width: '11rem',
      cell: ({ rule: { agent_id } }) => (agent_id === null ? 'All agents' : nameOf(agent_id)),
    },
    { id: 'fired', title: 'Fired', width: '12rem', cell: ({ triggered_at }) => <Time at={triggered_at} /> },
    {
      id: 'lasted',
      title: 'Lasted',
      width: '7rem',
      align: 'end',
      cell: ({ triggered_at, resolved_at }) =>
        resolved_at === null ? '–' : duration(Date.parse(resolved_at) - Date.parse(triggered_at)),
    },
  ]
}
