import { type Schedule, type SchedulesListStatus, schedulesListStatuses } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Plus } from 'lucide-react'
import { useAgentName } from '../../api/agents.ts'
import { usePipelineName } from '../../api/pipelines.ts'
import { lastFiringQuery, useScheduleList } from '../../api/schedules.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import type { Column } from '../../ui/data-table.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FilterBar, FilterChip } from '../../ui/filter-bar.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { ListView } from '../../ui/list-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Time } from '../../ui/time.tsx'
import { timingWords } from './timing-words.ts'

export const ScheduleListPage = () => {
  const { status }: { status?: string } = useSearch({ from: '/app/schedules' })
  const navigate = useNavigate()
  const reason = useReason('schedules:write')
  const chosen = schedulesListStatuses.filter((each) => status?.split(',').includes(each))
  const list = useScheduleList(chosen.length > 0 ? { status: chosen } : {})
  const clear = () => void navigate({ to: '/schedules', search: {} })
  const toggle = (one: SchedulesListStatus) => {
    const next = schedulesListStatuses.filter((each) => chosen.includes(each) !== (each === one))
    void navigate({ to: '/schedules', search: next.length === 0 ? {} : { status: next.join(',') }, replace: true })
  }
  const create = () => void navigate({ to: '/schedules/new' })
  return (
    <>
      <PageHeader title="Schedules">
        <Button reason={reason} onClick={create}>
          <Plus aria-hidden size={14} /> New schedule
        </Button>
      </PageHeader>
      <FilterBar onClear={chosen.length > 0 ? clear : undefined}>
        {schedulesListStatuses.map((one) => (
          <FilterChip
            key={one}
            label={flowWords.scheduleStatuses[one]}
            isOn={chosen.includes(one)}
            onToggle={() => toggle(one)}
          />
        ))}
        <span className="ms-auto text-ink-3 text-xs">Newest first</span>
      </FilterBar>
      <ListView
        label="Schedules"
        list={list}
        columns={columns}
        hrefOf={({ id }) => `/schedules/${id}`}
        empty={
          chosen.length > 0 ? (
            <EmptyState title="No schedule has this state" action={<Button onClick={clear}>Clear</Button>} />
          ) : (
            <EmptyState
              title="No schedules yet"
              action={
                <Button kind="primary" reason={reason} onClick={create}>
                  Create a schedule
                </Button>
              }
            >
              A schedule starts an agent or a pipeline at its dates.
            </EmptyState>
          )
        }
      />
    </>
  )
}

const columns: readonly Column<Schedule>[] = [
  {
    id: 'name',
    title: 'Name',
    cell: ({ name }) => <span className="font-medium [unicode-bidi:isolate]">{name}</span>,
  },
  { id: 'target', title: 'Starts', width: '18%', cell: (schedule) => <TargetName schedule={schedule} /> },
  { id: 'timing', title: 'Timing', width: '20%', cell: (schedule) => timingWords(schedule) },
  {
    id: 'status',
    title: 'Status',
    width: '7rem',
    cell: ({ status }) => <FlowBadge status={status} words={flowWords.scheduleStatuses} />,
  },
  { id: 'next', title: 'Next date', width: '12rem', cell: ({ next_dates }) => <Time at={next_dates[0]} /> },
  { id: 'last', title: 'Last firing', width: '15rem', cell: ({ id }) => <LastFiring scheduleId={id} /> },
]

const TargetName = ({ schedule: { agent_id, pipeline_id } }: { schedule: Schedule }) => {
  const nameOfAgent = useAgentName()
  const nameOfPipeline = usePipelineName()
  return (
    <span className="[unicode-bidi:isolate]">
      {agent_id === null ? nameOfPipeline(pipeline_id ?? '–') : nameOfAgent(agent_id)}
    </span>
  )
}

/** Asked for each row that is drawn: the list of schedules does not say it. */
const LastFiring = ({ scheduleId }: { scheduleId: string }) => {
  const { data } = useQuery(lastFiringQuery(scheduleId))
  if (data === undefined) return '…'
  return data === null ? (
    '–'
  ) : (
    <span className="inline-flex items-center gap-2">
      <FlowBadge status={data.status} words={flowWords.firings} /> <Time at={data.date} />
    </span>
  )
}
