import type { RequiredAction, Run, RunGuardrailFrame, SendAction } from '@agent-run-service/sdk'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Hand } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { client } from '../../api/client.ts'
import { useMemberNames } from '../../api/members.ts'
import { problemOf, refusalsOf } from '../../api/problem.ts'
import { madeDecisionQuery } from '../../api/runs.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { TextField } from '../../ui/field.tsx'
import { duration } from '../../ui/format.ts'
import { JsonField } from '../../ui/json-field.tsx'
import { JsonView } from '../../ui/json-view.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { Time, useNow } from '../../ui/time.tsx'
import { wordOf, words } from '../../ui/words.ts'
import type { ControlProps } from './decision-controls.ts'
import { isOfPolicy } from './finding-words.ts'
import { HeldText } from './held-text.tsx'
import { PolicyLink } from './policy-link.tsx'

const maxMessageChars = 2_000
/** Another person was faster, or the run went on. */
const lostCodes: ReadonlySet<string> = new Set(['action_already_resolved', 'no_open_action', 'run_not_active'])

export type DecisionProps = {
  runId: string
  action: RequiredAction
  /** The finding of a policy because of which a person is asked. */
  finding?: RunGuardrailFrame | undefined
  /** The decision was taken; the run as it is now. */
  onDecided(run: Run): void
  /** Somebody else decided first. */
  onLost?(): void
}

/** One open question of a run, with everything that is needed to decide it. Escape never decides. */
export const Decision = ({ runId, action, finding, onDecided, onLost }: DecisionProps) => {
  const reason = useReason('runs:approve')
  const [comment, setComment] = useState('')
  const act = useMutation({
    mutationFn: async (sent: Pick<SendAction, 'type' | 'payload'>) =>
      client.runs.act(runId, { ...sent, action_id: action.id, ...(comment !== '' && { comment }) }),
    onSuccess: onDecided,
    onError: (error) => {
      if (lostCodes.has(problemOf(error).code ?? '')) onLost?.()
    },
  })
  const problem = act.error ? problemOf(act.error) : null
  if (problem && lostCodes.has(problem.code ?? '')) return <DecisionNotice runId={runId} actionId={action.id} />
  const controls = { action, reason, isBusy: act.isPending, send: act.mutate, refusals: refusalsOf(act.error) }
  return (
    <section
      aria-label="A decision is needed"
      data-action={action.id}
      className="m-4 rounded-lg border border-warn/50 bg-warn-soft p-4"
    >
      <div className="mb-2 flex flex-wrap items-start gap-x-3 gap-y-1">
        <Hand aria-hidden size={15} className="mt-0.5 shrink-0 text-warn" />
        <h2 className="min-w-0 flex-1 whitespace-pre-wrap break-words font-semibold [unicode-bidi:isolate]">
          {action.message.slice(0, maxMessageChars)}
        </h2>
        <Expiry at={action.expires_at} />
      </div>
      {finding && (
        <p className="mb-3 text-ink-2">
          The run waits because of the policy <PolicyLink id={finding.policy_id} />: its rule{' '}
          <code className="font-mono text-xs">{finding.rule}</code> asks a person about{' '}
          {wordOf(words.policyStages, finding.stage)}.
        </p>
      )}
      {isOfPolicy(action) && <HeldText runId={runId} actionId={action.id} />}
      {action.tool_call && (
        <div className="mb-3 overflow-auto rounded-md border border-line bg-surface p-2.5">
          <JsonView value={action.tool_call} name="tool-call" />
        </div>
      )}
      <TextField
        label="Why (optional)"
        help="Who decides, and why, is recorded."
        maxLength={2_000}
        value={comment}
        onChange={({ target }) => setComment(target.value)}
      />
      <Controls {...controls} />
      {act.error && <Problem title="The decision was not taken" error={act.error} />}
    </section>
  )
}

/** The form brings a validator along, so it comes only with a question that has one. */
const ResponseControls = lazy(async () => ({ default: (await import('./response-controls.tsx')).ResponseControls }))

const Controls = (props: ControlProps) => {
  if (props.action.type === 'approval' || props.action.type === 'raise_budget') return <ApprovalControls {...props} />
  return props.action.type === 'reconcile' ? (
    <ReconcileControls {...props} />
  ) : (
    <Suspense fallback={<Skeleton rows={2} />}>
      <ResponseControls {...props} />
    </Suspense>
  )
}

const ApprovalControls = ({ reason, isBusy, send }: ControlProps) => (
  <div className="flex flex-wrap gap-2">
    <Button
      kind="primary"
      data-decide="approve"
      reason={reason}
      isBusy={isBusy}
      onClick={() => send({ type: 'approve' })}
    >
      Approve
    </Button>
    <Button kind="danger" data-decide="reject" reason={reason} isBusy={isBusy} onClick={() => send({ type: 'reject' })}>
      Reject
    </Button>
  </div>
)

const ReconcileControls = ({ reason, isBusy, send }: ControlProps) => {
  const [result, setResult] = useState<unknown>(undefined)
  const [isJson, setIsJson] = useState(true)
  const off = reason ?? (isJson ? undefined : 'Correct the result first: it is not JSON.')
  const answer = (outcome: 'done' | 'not_done') =>
    send({ type: 'respond', payload: { outcome, ...(result !== undefined && { result }) } })
  return (
    <>
      <p className="mb-2 text-ink-2">
        The service does not know whether this call was carried out. Look it up where the tool acts, then say so.
      </p>
      <JsonField
        label="Result of the call, as JSON (optional)"
        value={result}
        onChange={(value, text) => {
          setResult(value)
          setIsJson(value !== undefined || text.trim() === '')
        }}
      />
      <div className="flex flex-wrap gap-2">
        <Button kind="primary" data-decide="approve" reason={off} isBusy={isBusy} onClick={() => answer('done')}>
          It happened
        </Button>
        <Button data-decide="reject" reason={off} isBusy={isBusy} onClick={() => answer('not_done')}>
          It did not
        </Button>
      </div>
    </>
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

/** Who decided a question that this page had open. */
export const DecisionNotice = ({ runId, actionId }: { runId: string; actionId: string }) => {
  const nameOf = useMemberNames()
  const { data: decision } = useQuery(madeDecisionQuery(runId, actionId))
  return (
    <div role="status" className="m-4 rounded-lg border border-line bg-sunken p-3">
      {decision ? (
        <>
          <p>
            <strong>{wordOf(words.decisions, decision.type)}</strong> by {nameOf(decision.by)},{' '}
            <Time at={decision.at} />
          </p>
          {decision.comment && (
            <p className="whitespace-pre-wrap break-words text-ink-2 [unicode-bidi:isolate]">
              «{decision.comment.slice(0, maxMessageChars)}»
            </p>
          )}
        </>
      ) : (
        <p>Somebody else decided first.</p>
      )}
    </div>
  )
}
