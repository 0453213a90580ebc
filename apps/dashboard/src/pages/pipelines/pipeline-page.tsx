import type { Pipeline, PipelineRun } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useMemo } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { runsOfPipelineQuery } from '../../api/pipeline-runs.ts'
import { useMay } from '../../session.ts'
import { DataTable } from '../../ui/data-table.tsx'
import { DetailList } from '../../ui/detail-list.tsx'
import { Id } from '../../ui/id.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { draftSteps } from './draft-definition.ts'
import { PipelineFrame } from './pipeline-frame.tsx'
import { pipelineRunColumns } from './pipeline-run-columns.tsx'
import { StepCards, showCard } from './step-cards.tsx'
import { StepGraphView } from './step-graph-view.tsx'

export const PipelinePage = () => {
  const { pipelineId } = useParams({ from: '/app/pipelines/$pipelineId' })
  return <PipelineFrame pipelineId={pipelineId}>{(pipeline) => <Overview pipeline={pipeline} />}</PipelineFrame>
}

const Overview = ({ pipeline }: { pipeline: Pipeline }) => {
  const nameOf = useAgentName()
  const steps = useMemo(() => draftSteps(pipeline.definition), [pipeline.definition])
  const { output } = pipeline.definition
  return (
    <div className="grid grid-cols-1 gap-x-6 gap-y-6 p-4 lg:grid-cols-[minmax(0,1fr)_24rem]">
      <div className="flex min-w-0 flex-col gap-6">
        {pipeline.description && (
          <p className="max-w-prose whitespace-pre-wrap break-words text-ink-2 [unicode-bidi:isolate]">
            {pipeline.description}
          </p>
        )}
        <section aria-labelledby="graph-title">
          <h2 id="graph-title" className="mb-2 font-semibold">
            Graph
          </h2>
          <StepGraphView steps={steps} nameOf={nameOf} onSelect={showCard} />
        </section>
        <section aria-labelledby="steps-title">
          <h2 id="steps-title" className="mb-2 font-semibold">
            Steps
          </h2>
          <StepCards steps={steps} nameOf={nameOf} />
        </section>
        <LastRuns pipelineId={pipeline.id} />
      </div>
      <div className="flex min-w-0 flex-col gap-6">
        <section aria-labelledby="facts-title">
          <h2 id="facts-title" className="mb-2 font-semibold">
            Facts
          </h2>
          <DetailList
            items={[
              ['Id', <Id key="id" id={pipeline.id} />],
              ['Version', pipeline.version],
              ['Steps', steps.length],
              ['Created', <Time key="created" at={pipeline.created_at} />],
              ['Updated', <Time key="updated" at={pipeline.updated_at} />],
            ]}
          />
        </section>
        {output !== undefined && output !== null && (
          <section aria-labelledby="output-title" className="min-w-0">
            <h2 id="output-title" className="mb-2 font-semibold">
              Output
            </h2>
            <JsonView value={output} name={`${pipeline.id}-output`} />
          </section>
        )}
        {Object.keys(pipeline.metadata).length > 0 && (
          <section aria-labelledby="metadata-title" className="min-w-0">
            <h2 id="metadata-title" className="mb-2 font-semibold">
              Metadata
            </h2>
            <JsonView value={pipeline.metadata} name={`${pipeline.id}-metadata`} />
          </section>
        )}
      </div>
    </div>
  )
}

const columns = pipelineRunColumns(null)

const LastRuns = ({ pipelineId }: { pipelineId: string }) => {
  const runs = useQuery({ ...runsOfPipelineQuery(pipelineId), enabled: useMay('runs:read') })
  return (
    <section aria-labelledby="runs-title">
      <div className="mb-2 flex items-baseline gap-3">
        <h2 id="runs-title" className="font-semibold">
          Last runs
        </h2>
        <Link to="/pipeline-runs" search={{ pipeline_id: pipelineId }} className="text-accent text-xs underline">
          All runs
        </Link>
      </div>
      {runs.isLoading && <Skeleton rows={2} />}
      {runs.error && <Problem title="Last runs: not loaded" error={runs.error} onRetry={() => void runs.refetch()} />}
      {runs.data && <RunTable runs={runs.data} />}
    </section>
  )
}

const RunTable = ({ runs }: { runs: readonly PipelineRun[] }) =>
  runs.length === 0 ? (
    <p className="text-ink-2">It has not run yet. Start a run with the button above.</p>
  ) : (
    <div className="overflow-hidden rounded-lg border border-line">
      <DataTable label="Last runs" isInline columns={columns} rows={runs} hrefOf={({ id }) => `/pipeline-runs/${id}`} />
    </div>
  )
