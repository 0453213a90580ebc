import type { PipelineRun } from '@agent-run-service/sdk'
import { Link } from '@tanstack/react-router'
import { usePipelineName } from '../../api/pipelines.ts'
import { Time } from '../../ui/time.tsx'

const maxChars = 200

/** The questions of approval steps. They are decided on the page of their pipeline run, which shows what led to them. */
export const PipelineQuestions = ({ runs }: { runs: readonly PipelineRun[] }) => {
  const nameOf = usePipelineName()
  if (runs.length === 0) return null
  const questions = runs.flatMap((run) =>
    run.required_actions.filter(({ run_id }) => run_id === null).map((action) => ({ run, action })),
  )
  return (
    <section aria-label="Questions of pipelines" className="max-h-60 shrink-0 overflow-auto border-line border-b p-4">
      <h2 className="mb-2 font-semibold">Questions of pipelines</h2>
      <ul className="flex flex-col gap-1">
        {questions.map(({ run, action }) => (
          <li key={`${run.id} ${action.id}`} className="flex flex-wrap items-baseline gap-x-3">
            <Link
              to="/pipeline-runs/$pipelineRunId"
              params={{ pipelineRunId: run.id }}
              search={{}}
              className="min-w-0 break-words text-accent underline [unicode-bidi:isolate]"
            >
              {action.message.slice(0, maxChars)}
            </Link>
            <span className="text-ink-2 text-xs">
              {nameOf(run.pipeline_id)}, step <code className="font-mono">{action.step}</code>, expires{' '}
              <Time at={action.expires_at} isRelative />
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}
