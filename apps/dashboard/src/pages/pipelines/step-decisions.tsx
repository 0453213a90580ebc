import type { PipelineRequiredAction, PipelineRun, PipelineRunsActParams } from '@agent-run-service/sdk'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Hand } from 'lucide-react'
import { useState } from 'react'
import { pipelineRunQuery, usePipelineRunChanges } from '../../api/pipeline-runs.ts'
import { problemOf, refusalsOf } from '../../api/problem.ts'
import { hasEnded } from '../../api/runs.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { duration } from '../../ui/format.ts'
import { Problem } from '../../ui/problem.tsx'
import { emptyValue } from '../../ui/schema-form/schema-fields.ts'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { type Problems, problemsOf, problemsOfRefusals } from '../../ui/schema-form/schema-problems.ts'
import { useNow } from '../../ui/time.tsx'
import { toast } from '../../ui/toast.tsx'
import { Decision } from '../runs/decision.tsx'

const maxMessageChars = 2_000
/** Another person was faster, or the pipeline run went on. */
const lostCodes: ReadonlySet<string> = new Set(['action_already_resolved', 'no_open_action', 'run_not_active'])

/** The open questions of a pipeline run: of its approval steps, and of the runs of its steps. */
export const StepDecisions = ({ run }: { run: PipelineRun }) => {
  const queryClient = useQueryClient()
  const open = hasEnded(run) ? [] : run.required_actions
  const refresh = () => void queryClient.invalidateQueries({ queryKey: pipelineRunQuery(run.id).queryKey, exact: true })
  return (
    <>
      {open.map((action) =>
        action.run_id === null ? (
          <StepDecision key={action.id} run={run} action={action} onLost={refresh} />
        ) : (
          <div key={`${action.run_id} ${action.id}`}>
            <p className="mx-4 mt-4 text-ink-2">
              The step <code className="font-mono text-xs">{action.step}</code> asks:
            </p>
            <Decision runId={action.run_id} action={action} onDecided={refresh} onLost={refresh} />
          </div>
        ),
      )}
      <p role="status" className="sr-only">
        {open.length > 0
          ? `The pipeline run waits for ${open.length === 1 ? 'a decision' : `${open.length} decisions`}.`
          : ''}
      </p>
    </>
  )
}

/** The question of an approval step, with everything that is needed to decide it. Escape never decides. */
const StepDecision = (props: { run: PipelineRun; action: PipelineRequiredAction; onLost(): void }) => {
  const { run, action } = props
  const schema = action.response_schema
  const reason = useReason('runs:approve')
  const changes = usePipelineRunChanges()
  const [comment, setComment] = useState('')
  const [payload, setPayload] = useState<unknown>(() => (schema ? emptyValue(schema) : undefined))
  const [problems, setProblems] = useState<Problems>({})
  const act = useMutation({
    mutationFn: (sent: Pick<PipelineRunsActParams, 'type' | 'payload'>) =>
      changes.act(run.id, { ...sent, action_id: action.id, ...(comment !== '' && { comment }) }),
    onSuccess: (_, { type }) => toast(type === 'approve' ? 'Approved' : 'Rejected'),
    onError: (error) => {
      if (lostCodes.has(problemOf(error).code ?? '')) props.onLost()
    },
  })
  const shown = { ...problemsOfRefusals(refusalsOf(act.error), 'payload'), ...problems }
  /** After a refusal the form is checked at every change. */
  const change = (value: unknown) => {
    setPayload(value)
    if (schema && Object.keys(problems).length > 0) setProblems(problemsOf(schema, value))
  }
  const approve = () => {
    const found = schema ? problemsOf(schema, payload) : {}
    setProblems(found)
    if (Object.keys(found).length === 0) act.mutate({ type: 'approve', ...(schema && { payload: payload ?? null }) })
  }
  return (
    <section
      aria-label={`A decision is needed: ${action.step}`}
      className="m-4 rounded-lg border border-warn/50 bg-warn-soft p-4"
    >
      <div className="mb-2 flex flex-wrap items-start gap-x-3 gap-y-1">
        <Hand aria-hidden size={15} className="mt-0.5 shrink-0 text-warn" />
        <h2 className="min-w-0 flex-1 whitespace-pre-wrap break-words font-semibold [unicode-bidi:isolate]">
          {action.message.slice(0, maxMessageChars)}
        </h2>
        <Expiry at={action.expires_at} />
      </div>
      {schema && <SchemaForm schema={schema} value={payload} onChange={change} problems={shown} />}
      <TextField
        label="Why (optional)"
        help="Who decides, and why, is recorded."
        maxLength={2_000}
        value={comment}
        onChange={({ target }) => setComment(target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" reason={reason} isBusy={act.isPending} onClick={approve}>
          Approve
        </Button>
        <Button kind="danger" reason={reason} isBusy={act.isPending} onClick={() => act.mutate({ type: 'reject' })}>
          Reject
        </Button>
      </div>
      {act.error && <Problem title="The decision was not taken" error={act.error} />}
    </section>
  )
}

const Expiry = ({ at }: { at: string }) => {
  const leftMs = Date.parse(at) - useNow(1_000)
  return (
    <span className="num whitespace-nowrap text-ink-2 text-xs">
      {leftMs > 0 ? `expires in ${duration(leftMs)}` : 'expired'}
    </span>
  )
}
