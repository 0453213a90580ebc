import type { Schedule, ScheduleFiring } from '@agent-run-service/sdk'
import { Link, useParams } from '@tanstack/react-router'
import { useAgentName } from '../../api/agents.ts'
import { usePipelineName } from '../../api/pipelines.ts'
import { useFiringList } from '../../api/schedules.ts'
import type { Column } from '../../ui/data-table.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { shortId, usd } from '../../ui/format.ts'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { ListView } from '../../ui/list-view.tsx'
import { Part } from '../../ui/part.tsx'
import { RunLink } from '../../ui/run-link.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'
import { Actor } from '../agents/actor.tsx'
import { ScheduleFrame } from './schedule-frame.tsx'
import { timingWords } from './timing-words.ts'

export const SchedulePage = () => {
  const { scheduleId } = useParams({ from: '/app/schedules/$scheduleId' })
  return <ScheduleFrame scheduleId={scheduleId}>{(schedule) => <Overview schedule={schedule} />}</ScheduleFrame>
}

const Overview = ({ schedule }: { schedule: Schedule }) => (
  <div className="grid grid-cols-1 gap-6 p-4 xl:grid-cols-[minmax(0,1fr)_22rem]">
    <div className="flex min-w-0 flex-col gap-6">
      <Part title="Next dates">
        <NextDates schedule={schedule} />
      </Part>
      <Part title="History">
        <History scheduleId={schedule.id} />
      </Part>
    </div>
    <div className="flex min-w-0 flex-col gap-6">
      <Part title="Facts">
        <Facts schedule={schedule} />
      </Part>
      <Part title="Input of each run">
        <JsonView value={schedule.input} name={`${schedule.id}-input`} />
      </Part>
    </div>
  </div>
)

const NextDates = ({ schedule }: { schedule: Schedule }) =>
  schedule.next_dates.length === 0 ? (
    <p className="text-ink-2">
      {schedule.status === 'paused' ? 'It is paused, so it has no dates.' : 'It has no further date.'}
    </p>
  ) : (
    <ol aria-label="Next dates" className="flex flex-wrap gap-2">
      {schedule.next_dates.map((date) => (
        <li key={date} className="rounded-md border border-line bg-surface px-2.5 py-1">
          <Time at={date} />
        </li>
      ))}
    </ol>
  )

/** The agent or pipeline that a schedule starts. */
const TargetLink = ({ schedule: { agent_id, pipeline_id } }: { schedule: Schedule }) => {
  const nameOfAgent = useAgentName()
  const nameOfPipeline = usePipelineName()
  if (agent_id !== null) {
    return (
      <Link to="/agents/$agentId" params={{ agentId: agent_id }} className="text-accent underline">
        {nameOfAgent(agent_id)}
      </Link>
    )
  }
  return pipeline_id === null ? (
    '–'
  ) : (
    <Link to="/pipelines/$pipelineId" params={{ pipelineId: pipeline_id }} className="text-accent underline">
      {nameOfPipeline(pipeline_id)}
    </Link>
  )
}

const Facts = ({ schedule }: { schedule: Schedule }) => (
  <DetailList
    items={[
      ['Id', <Id key="id" id={schedule.id} />],
      [
        'Timing',
        schedule.once_at === null ? (
          timingWords(schedule)
        ) : (
          <>
            Once, at <Time at={schedule.once_at} />
          </>
        ),
      ],
      ...(schedule.cron === null
        ? []
        : [
            [
              'Cron',
              <code key="cron" className="font-mono text-xs">
                {schedule.cron}
              </code>,
            ] as const,
          ]),
      [schedule.agent_id === null ? 'Pipeline' : 'Agent', <TargetLink key="target" schedule={schedule} />],
      ['Missed dates', wordOf(flowWords.missed, schedule.missed)],
      ['While one runs', wordOf(flowWords.overlap, schedule.overlap)],
      [
        'Budget',
        schedule.monthly_budget_usd === null
          ? 'None'
          : `${usd(schedule.spent_usd)} of ${usd(schedule.monthly_budget_usd)} this month`,
      ],
      ['Runs as', <Actor key="by" id={schedule.created_by} />],
      ['Created', <Time key="created" at={schedule.created_at} />],
      ['Updated', <Time key="updated" at={schedule.updated_at} />],
    ]}
  />
)

const columns: readonly Column<ScheduleFiring>[] = [
  { id: 'date', title: 'Date', width: '11rem', cell: ({ date }) => <Time at={date} /> },
  {
    id: 'status',
    title: 'Status',
    width: '6.5rem',
    cell: ({ status }) => <FlowBadge status={status} words={flowWords.firings} />,
  },
  { id: 'kind', title: 'Cause', width: '5.5rem', cell: ({ kind }) => (kind === 'request' ? 'Request' : 'Date') },
  {
    id: 'code',
    title: 'Reason',
    cell: ({ code, missed_from, waiting }) => (
      <>
        {waiting?.message}
        {code !== null && <code className="font-mono text-xs">{code}</code>}
        {missed_from !== null && (
          <>
            {' '}
            stands for dates since <Time at={missed_from} />
          </>
        )}
        {code === null && missed_from === null && waiting === null && '–'}
      </>
    ),
  },
  { id: 'run', title: 'Run', width: '7.5rem', cell: (firing) => <StartedLink firing={firing} /> },
  { id: 'started', title: 'Started', width: '11rem', cell: ({ started_at }) => <Time at={started_at} /> },
]

const StartedLink = ({ firing: { run_id, pipeline_run_id } }: { firing: ScheduleFiring }) => {
  if (run_id !== null) return <RunLink id={run_id} />
  return pipeline_run_id === null ? (
    '–'
  ) : (
    <Link
      to="/pipeline-runs/$pipelineRunId"
      params={{ pipelineRunId: pipeline_run_id }}
      search={{}}
      className="font-mono text-accent text-xs underline"
    >
      {shortId(pipeline_run_id)}
    </Link>
  )
}

const History = ({ scheduleId }: { scheduleId: string }) => {
  const list = useFiringList(scheduleId)
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <ListView
        label="Firings"
        isInline
        list={list}
        columns={columns}
        empty={<p className="p-4 text-ink-2">It has not fired yet. Run now starts it at once.</p>}
      />
    </div>
  )
}
