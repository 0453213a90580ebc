import type { Agent } from '@agent-run-service/sdk'
import { agentsUpdateSchema } from '@agent-run-service/sdk/schemas'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { agentQuery, useAgentMutations } from '../../api/agents.ts'
import { problemOf, refusalsOf } from '../../api/problem.ts'
import { Banner } from '../../ui/banner.tsx'
import { Button } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { toast } from '../../ui/toast.tsx'
import { changesBetween, moveEdit, patchBetween } from './agent-changes.ts'
import { type AgentContent, type AgentFields, contentOf, fieldsOf } from './agent-fields.ts'
import { AgentForm } from './agent-form.tsx'
import { ConflictDialog } from './conflict-dialog.tsx'
import { AgentFormState, FaultSummary } from './form-faults.tsx'
import { ReleaseStep, ReviewStep } from './release-steps.tsx'
import { newRollout, rolloutOf } from './rollout.ts'
import { useFaults } from './use-faults.ts'

type Step = 'review' | 'release' | undefined

/** Edit → Review → To whom. The edit stays until it is released or left. */
export const AgentEditor = ({ seen, newest }: { seen: Agent; newest: Agent }) => {
  const [base, setBase] = useState(seen)
  const [rollout, setRollout] = useState(newRollout)
  const [isConflict, setIsConflict] = useState(false)
  const { step } = useSearch({ from: '/app/agents/$agentId/edit' })
  const navigate = useNavigate()
  const queryClient = useQueryClient()
  const kind = base.kind === 'remote' ? 'remote' : 'llm'
  const stored = normal(base, kind)
  const form = useForm<AgentFields>({ defaultValues: fieldsOf(base, kind) })
  const { faults, problem, check, refuse, clear } = useFaults(form, agentsUpdateSchema)
  const { update } = useAgentMutations()
  const edit = contentOf(form.getValues(), base)
  const changes = changesBetween(stored, edit.content)
  // A reload of the second step has no edit any more.
  const shown: Step = changes.length === 0 ? undefined : step
  const go = (to: Step) =>
    void navigate({
      to: '/agents/$agentId/edit',
      params: { agentId: base.id },
      search: to === undefined ? {} : { step: to },
    })

  const review = form.handleSubmit((fields) => {
    const { content, faults: own } = contentOf(fields, base)
    const patch = patchBetween(stored, content)
    const none = Object.keys(patch).length === 0 ? [{ field: 'name', message: 'Nothing has changed yet.' }] : own
    if (check(none, patch)) go('review')
  })

  const release = async () => {
    const { rollout: wanted, faults: own } = rolloutOf(rollout)
    const body = { ...patchBetween(stored, edit.content), version: base.version, rollout: wanted }
    if (!check(own, body)) return
    try {
      const { deployment, name } = await update.mutateAsync({ id: base.id, body })
      toast(deployment ? `Version ${deployment.version} of ${name} was released` : `${name}: nothing changed`)
      const to = deployment?.status === 'canary' ? '/agents/$agentId/releases' : '/agents/$agentId'
      void navigate({ to, params: { agentId: base.id }, ignoreBlocker: true })
    } catch (error) {
      if (problemOf(error).code === 'version_conflict') {
        await queryClient.invalidateQueries(agentQuery(base.id))
        setIsConflict(true)
        return
      }
      const isNamed = refuse(error)
      if (isNamed && !refusalsOf(error).some(({ param }) => param.startsWith('rollout'))) go(undefined)
    }
  }

  /** What the person changed stays; everything else is as in the newer version. */
  const moveOn = () => {
    const theirs = fieldsOf(newest, kind)
    const { fields } = moveEdit({ base: fieldsOf(base, kind), mine: form.getValues(), theirs })
    form.reset(theirs)
    for (const [name, value] of Object.entries(fields)) {
      form.setValue(name as keyof AgentFields, value, { shouldDirty: true })
    }
    clear()
    setBase(newest)
    setIsConflict(false)
    go('review')
  }

  return (
    <>
      <PageHeader
        title={`Edit ${base.name}`}
        trail={
          <Link to="/agents/$agentId" params={{ agentId: base.id }}>
            {base.name}
          </Link>
        }
      >
        <Steps at={shown} />
      </PageHeader>
      {newest.version !== base.version && (
        <Banner
          tone="warn"
          action={
            <Button isSmall onClick={() => setIsConflict(true)}>
              Show what changed
            </Button>
          }
        >
          Version {newest.version} came out while you edit version {base.version}. Your edit is kept.
        </Banner>
      )}
      <form noValidate className="p-4" onSubmit={(event) => void review(event)}>
        <FaultSummary faults={faults} title={shown === undefined ? 'Please correct' : 'Not released'} />
        {problem !== null && <Problem title="Not released" error={problem} />}
        <AgentFormState value={{ faults, stored: base }}>
          <FormProvider {...form}>
            {shown === undefined && <AgentForm />}
            {shown === 'review' && <ReviewStep changes={changes} />}
            {shown === 'release' && (
              <ReleaseStep agentId={base.id} value={rollout} onChange={setRollout} faults={faults} />
            )}
          </FormProvider>
        </AgentFormState>
        <div className="sticky bottom-0 -mx-4 -mb-4 flex flex-wrap gap-2 border-line border-t bg-surface px-4 py-3">
          {shown === undefined && (
            <Button kind="primary" type="submit">
              Review
            </Button>
          )}
          {shown === 'review' && (
            <>
              <Button kind="primary" onClick={() => go('release')}>
                To whom
              </Button>
              <Button onClick={() => go(undefined)}>Back to the form</Button>
            </>
          )}
          {shown === 'release' && (
            <>
              <Button kind="primary" isBusy={update.isPending} onClick={() => void release()}>
                {rollout.to === 'everyone' ? 'Release to everyone' : `Start a canary with ${rollout.share} %`}
              </Button>
              <Button onClick={() => go('review')}>Back to the review</Button>
            </>
          )}
          <Button kind="quiet" onClick={() => void navigate({ to: '/agents/$agentId', params: { agentId: base.id } })}>
            Cancel
          </Button>
        </div>
      </form>
      <LeaveGuard isDirty={form.formState.isDirty && !update.isSuccess} />
      <ConflictDialog
        isOpen={isConflict}
        onClose={() => setIsConflict(false)}
        base={base}
        newest={newest}
        both={moveEdit({ base: fieldsOf(base, kind), mine: form.getValues(), theirs: fieldsOf(newest, kind) }).both}
        onMove={moveOn}
      />
    </>
  )
}

/** The agent as the form would give it back, so that only edits are differences. */
const normal = (agent: AgentContent, kind: AgentFields['kind']): AgentContent =>
  contentOf(fieldsOf(agent, kind), agent).content

const Steps = ({ at }: { at: Step }) => (
  <ol className="flex gap-1 text-ink-3 text-xs">
    {(
      [
        [undefined, '1 Edit'],
        ['review', '2 Review'],
        ['release', '3 To whom'],
      ] as const
    ).map(([step, text]) => (
      <li
        key={text}
        aria-current={step === at ? 'step' : undefined}
        className="rounded-full px-2 py-0.5 aria-[current]:bg-accent-soft aria-[current]:font-medium aria-[current]:text-accent"
      >
        {text}
      </li>
    ))}
  </ol>
)
