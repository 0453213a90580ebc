import type { Run } from '@agent-run-service/sdk'
import { Link } from '@tanstack/react-router'
import { hasEnded } from '../../api/runs.ts'
import { FactsLine } from '../../ui/detail-list.tsx'
import { duration, shortId, usd } from '../../ui/format.ts'
import { Time, useNow } from '../../ui/time.tsx'
import { RunPerson } from './run-person.tsx'
import { useRunSource } from './run-source.ts'
import { usageWords } from './usage-words.ts'

export const RunFacts = ({ run }: { run: Run }) => {
  const { isShared } = useRunSource()
  const nowMs = useNow(1_000, !hasEnded(run))
  const { timing, usage, parent_run_id: parent, pipeline_run_id: pipelineRun } = run
  return (
    <FactsLine
      items={[
        ['Duration', duration(run.latency_ms ?? Math.max(0, nowMs - Date.parse(run.created_at)))],
        ['Queued', duration(timing.queue_ms)],
        ['Executing', duration(timing.execution_ms)],
        ['With people', duration(timing.waiting_ms)],
        ['Tokens', usageWords(usage)],
        ['Cost', usd(usage.cost_usd)],
        ['Version', `v${run.agent_version}`],
        ['Created', <Time key="created" at={run.created_at} />],
        ...(run.created_by && !isShared
          ? [
              [
                'By',
                <Link
                  key="by"
                  to="/runs"
                  search={{ created_by: run.created_by }}
                  className="text-accent hover:underline"
                >
                  <RunPerson id={run.created_by} />
                </Link>,
              ] as const,
            ]
          : []),
        ...(parent && !isShared
          ? [
              [
                'Made by',
                <Link key="parent" to="/runs/$runId" params={{ runId: parent }} className="text-accent hover:underline">
                  {shortId(parent)}
                </Link>,
              ] as const,
            ]
          : []),
        ...(pipelineRun && !isShared
          ? [
              [
                'Step of',
                <Link
                  key="pipeline"
                  to="/pipeline-runs/$pipelineRunId"
                  params={{ pipelineRunId: pipelineRun }}
                  search={{}}
                  className="text-accent hover:underline"
                >
                  {shortId(pipelineRun)}
                </Link>,
              ] as const,
            ]
          : []),
      ]}
    />
  )
}
