import { agentsCreateSchema } from '@agent-run-service/sdk/schemas'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { useAgentMutations } from '../../api/agents.ts'
import { useReason } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { PageHeader } from '../../ui/page-header.tsx'
import { Problem } from '../../ui/problem.tsx'
import { SecretOnce } from '../../ui/secret-once.tsx'
import { toast } from '../../ui/toast.tsx'
import { words } from '../../ui/words.ts'
import { createBody } from './agent-changes.ts'
import { type AgentFields, contentOf, newFields } from './agent-fields.ts'
import { AgentForm } from './agent-form.tsx'
import { AgentFormState, FaultSummary } from './form-faults.tsx'
import { useFaults } from './use-faults.ts'

const kinds = ['llm', 'remote'] as const

export const AgentNewPage = () => {
  const { kind = 'llm' } = useSearch({ from: '/app/agents/new' })
  return <NewAgent kind={kind} />
}

const NewAgent = ({ kind }: { kind: AgentFields['kind'] }) => {
  const navigate = useNavigate()
  const form = useForm<AgentFields>({ defaultValues: newFields(kind) })
  // The other kind keeps what was typed.
  useEffect(() => form.setValue('kind', kind), [form, kind])
  const { faults, problem, check, refuse } = useFaults(form, agentsCreateSchema)
  const [created, setCreated] = useState<{ id: string; secret: string } | null>(null)
  const { create } = useAgentMutations()
  const reason = useReason('agents:write')
  const open = (agentId: string) => void navigate({ to: '/agents/$agentId', params: { agentId }, ignoreBlocker: true })
  const submit = form.handleSubmit(async (fields) => {
    const { content, faults: own } = contentOf(fields)
    const body = createBody(content, kind)
    if (!check(own, body)) return
    try {
      const agent = await create.mutateAsync(body)
      toast(`${agent.name} was created`)
      if (agent.signing_secret === null) open(agent.id)
      else setCreated({ id: agent.id, secret: agent.signing_secret })
    } catch (error) {
      refuse(error)
    }
  })
  return (
    <>
      <PageHeader title="New agent" trail={<Link to="/agents">Agents</Link>} />
      <form noValidate className="p-4" onSubmit={(event) => void submit(event)}>
        <nav aria-label="Kind" className="mb-4 flex gap-2">
          {kinds.map((each) => (
            <Link
              key={each}
              to="/agents/new"
              search={{ kind: each }}
              replace
              aria-current={each === kind ? 'true' : undefined}
              className="rounded-lg border border-line px-3 py-2 hover:bg-sunken aria-[current]:border-accent aria-[current]:bg-accent-soft"
            >
              <span className="block font-medium">{words.agentKinds[each]}</span>
              <span className="text-ink-2 text-xs">{kindWords[each]}</span>
            </Link>
          ))}
        </nav>
        <FaultSummary faults={faults} title="The agent was not created" />
        {problem !== null && <Problem title="The agent was not created" error={problem} />}
        <AgentFormState value={{ faults, stored: null }}>
          <FormProvider {...form}>
            <AgentForm />
          </FormProvider>
        </AgentFormState>
        <div className="sticky bottom-0 -mx-4 -mb-4 flex gap-2 border-line border-t bg-surface px-4 py-3">
          <Button kind="primary" type="submit" reason={reason} isBusy={form.formState.isSubmitting}>
            Create agent
          </Button>
          <Button onClick={() => void navigate({ to: '/agents' })}>Cancel</Button>
        </div>
      </form>
      <LeaveGuard isDirty={form.formState.isDirty && created === null} />
      <SecretOnce
        title="The signing secret"
        description="Your endpoint verifies the requests of the service with it. It cannot be shown again."
        secret={created?.secret ?? null}
        onStored={() => created && open(created.id)}
      />
    </>
  )
}

const kindWords = {
  llm: 'The service calls a model with your instructions and tools.',
  remote: 'The service calls your HTTPS endpoint.',
} as const
