import type { PipelineRun, PipelineStep } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { CircleX } from 'lucide-react'
import { useMemo } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { pipelineVersionQuery, usePipelineName } from '../../api/pipelines.ts'
import { hasEnded } from '../../api/runs.ts'
import { MissingState } from '../../shell/missing-state.tsx'
import { Banner } from '../../ui/banner.tsx'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { FactsLine } from '../../ui/detail-list.tsx'
import { FlowBadge } from '../../ui/flow-badge.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { count, duration, shortId, usd } from '../../ui/format.ts'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Part } from '../../ui/part.tsx'
import { RunLink } from '../../ui/run-link.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { Actor } from '../agents/actor.tsx'
import { LiveMark } from '../runs/run-header.tsx'
import { draftSteps } from './draft-definition.ts'
import { PipelineDiagnosis } from './pipeline-diagnosis.tsx'
import { PipelineRunActions } from './pipeline-run-actions.tsx'
import { PipelineRunBadge } from './pipeline-run-badge.tsx'
import { StepDecisions } from './step-decisions.tsx'
import { StepGraphView } from './step-graph-view.tsx'
import { StepItems } from './step-items.tsx'
import { itemWords } from './step-words.ts'
import { usePipelineRun } from './use-pipeline-run.ts'

export const PipelineRunPage = () => {
  const { pipelineRunId } = useParams({ from: '/app/pipeline-runs/$pipelineRunId' })
  const { data: run, error, refetch, connection, lastFrameMs } = usePipelineRun(pipelineRunId)
  const name = usePipelineName()(run?.pipeline_id ?? '')
  if (!run) {
    return error ? (
      <MissingState what="Pipeline run" id={pipelineRunId} error={error} onRetry={() => void refetch()} />
    ) : (
      <Skeleton />
    )
  }
  return (
    <>
      <PageHeader
        trail={
          <Link to="/pipeline-runs" className="hover:text-ink">
            Pipeline runs
          </Link>
        }
        title={
          <Link to="/pipelines/$pipelineId" params={{ pipelineId: run.pipeline_id }} className="hover:underline">
            {name}
          </Link>
        }
        tabTitle={`${name} ${shortId(run.id)}`}
        aside={
          <>
            <Id id={run.id} />
            <span role="status">
              <span className="sr-only">Pipeline run: </span>
              <PipelineRunBadge run={run} />
            </span>
            {!hasEnded(run) && <LiveMark connection={connection} />}
          </>
        }
      >
        <PipelineRunActions run={run} />
      </PageHeader>
      <Facts run={run} />
      {run.erased_at && (
        <Banner tone="info">
          Its data was erased on <Time at={run.erased_at} />. Status, times and error stay.
        </Banner>
      )}
      {run.error && <ErrorBox error={run.error} />}
      <StepDecisions run={run} />
      {!hasEnded(run) && <PipelineDiagnosis id={run.id} lastFrameMs={lastFrameMs} />}
      <Steps run={run} />
    </>
  )
}

const Facts = ({ run }: { run: PipelineRun }) => {
  const nowMs = useNow(1_000, !hasEnded(run))
  return (
    <FactsLine
      items={[
        ['Duration', duration(run.latency_ms ?? Math.max(0, nowMs - Date.parse(run.created_at)))],
        ['Tokens', count(run.tokens_used)],
        ['Cost', usd(run.cost_usd)],
        ['Version', `v${run.pipeline_version}`],
        ['Created', <Time key="created" at={run.created_at} />],
        ...(run.created_by ? [['By', <Actor key="by" id={run.created_by} />] as const] : []),
        ...(run.rerun_of
          ? [
              [
                `Again from ${run.from_step ?? 'a step'} of`,
                <Link
                  key="rerun"
                  to="/pipeline-runs/$pipelineRunId"
                  params={{ pipelineRunId: run.rerun_of }}
                  search={{}}
                  className="text-accent hover:underline"
                >
                  {shortId(run.rerun_of)}
                </Link>,
              ] as const,
            ]
          : []),
      ]}
    />
  )
}

const maxChars = 4_000

const ErrorBox = ({ error }: { error: NonNullable<PipelineRun['error']> }) => (
  <section aria-label="Error" className="m-4 flex items-start gap-2 rounded-lg border border-bad/50 bg-bad-soft p-3">
    <CircleX aria-hidden size={16} className="mt-0.5 shrink-0 text-bad" />
    <div className="min-w-0">
      <h2 className="font-medium text-bad">{error.code}</h2>
      <p className="whitespace-pre-wrap break-words [unicode-bidi:isolate]">{error.message.slice(0, maxChars)}</p>
      {error.step !== null && (
        <p className="text-ink-2">
          The step <code className="font-mono text-xs">{error.step}</code> failed.
        </p>
      )}
    </div>
  </section>
)

type Row = PipelineStep & { id: string; isAsking: boolean }

const stepWords = { ...flowWords.steps, requires_action: 'Needs a decision' }

const columns: readonly Column<Row>[] = [
  { id: 'key', title: 'Step', width: '9rem', cell: ({ key }) => <span className="font-mono text-xs">{key}</span> },
  {
    id: 'status',
    title: 'Status',
    width: '9.5rem',
    cell: ({ status, isAsking }) => <FlowBadge status={isAsking ? 'requires_action' : status} words={stepWords} />,
  },
  { id: 'items', title: 'Items', width: '8.5rem', cell: ({ items }) => itemWords(items) || '–' },
  {
    id: 'run',
    title: 'Run',
    width: '7.5rem',
    cell: ({ run_id }) => <RunLink id={run_id} className="relative z-10" />,
  },
  {
    id: 'error',
    title: 'Error or decision',
    cell: ({ error, decision }) => {
      if (error !== null)
        return (
          <span className="[unicode-bidi:isolate]">
            <span className="text-bad">{error.code}</span> {error.message.slice(0, 200)}
          </span>
        )
      return decision === null ? '–' : <DecisionWords decision={decision} />
    },
  },
  {
    id: 'duration',
    title: 'Duration',
    width: '5.5rem',
    align: 'end',
    cell: ({ started_at, finished_at }) =>
      duration(started_at && finished_at ? Date.parse(finished_at) - Date.parse(started_at) : null),
  },
]

const DecisionWords = ({ decision }: { decision: NonNullable<PipelineStep['decision']> }) => (
  <>
    {decision.type === 'approve' ? 'approved' : 'rejected'} by <Actor id={decision.decided_by} />
  </>
)

const Steps = ({ run }: { run: PipelineRun }) => {
  const { step: selected } = useSearch({ from: '/app/pipeline-runs/$pipelineRunId' })
  const navigate = useNavigate()
  const nameOf = useAgentName()
  const version = useQuery(pipelineVersionQuery(run.pipeline_id, run.pipeline_version))
  const drafts = useMemo(() => draftSteps(version.data?.definition), [version.data])
  const states = useMemo(() => new Map(run.steps.map((step) => [step.key, step])), [run.steps])
  const asking = useMemo(() => new Set(run.required_actions.map(({ step }) => step)), [run.required_actions])
  const rows: readonly Row[] = run.steps.map((step) => ({ ...step, id: step.key, isAsking: asking.has(step.key) }))
  const shown = run.steps.find(({ key }) => key === selected)
  const select = (step: string | undefined) =>
    void navigate({
      to: '/pipeline-runs/$pipelineRunId',
      params: { pipelineRunId: run.id },
      search: step === undefined ? {} : { step },
      replace: true,
      resetScroll: false,
    })
  return (
    <div className="grid grid-cols-1 gap-6 p-4 xl:grid-cols-[minmax(0,1fr)_minmax(0,51rem)]">
      <Part title="Graph">
        {version.isPending ? (
          <Skeleton rows={4} />
        ) : (
          <StepGraphView
            steps={drafts}
            nameOf={nameOf}
            states={states}
            asking={asking}
            selected={selected}
            onSelect={(key) => select(key === selected ? undefined : key)}
          />
        )}
      </Part>
      <div className="flex min-w-0 flex-col gap-6">
        <Part title="Steps">
          <div className="overflow-hidden rounded-lg border border-line">
            <DataTable
              label="Steps"
              isInline
              columns={columns}
              rows={rows}
              openId={selected}
              hrefOf={({ key }) => `/pipeline-runs/${run.id}?step=${key}`}
            />
          </div>
        </Part>
        {shown && <StepItems key={shown.key} run={run} step={shown} onClose={() => select(undefined)} />}
        {run.output !== null && (
          <Part title="Output">
            <JsonView value={run.output} name={`${run.id}-output`} />
          </Part>
        )}
        <Part title="Input">
          <JsonView value={run.input} name={`${run.id}-input`} />
        </Part>
        {Object.keys(run.metadata).length > 0 && (
          <Part title="Metadata">
            <JsonView value={run.metadata} name={`${run.id}-metadata`} />
          </Part>
        )}
      </div>
    </div>
  )
}
