import { type Policy, type PolicyAttachment, type PolicySubjectType, policySubjectTypes } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { agentNamesQuery, useAgentName } from '../../api/agents.ts'
import { apiKeyNamesQuery } from '../../api/api-keys.ts'
import { policyAttachmentsQuery, usePolicyChanges } from '../../api/policies.ts'
import { useMay, useSession } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { usePolicyReason } from './policy-frame.tsx'

/** Where the policy works, and the form that attaches it to more. */
export const Attachments = ({ policy }: { policy: Policy }) => {
  const { data, error, refetch } = useQuery(policyAttachmentsQuery(policy.id))
  if (error) return <Problem title="Attachments: not loaded" error={error} onRetry={() => void refetch()} />
  if (!data) return <Skeleton rows={2} />
  return (
    <>
      {data.length === 0 ? (
        <p className="text-ink-2">Nothing. A policy that is attached to nothing judges nothing.</p>
      ) : (
        <ul aria-label="Attachments" className="flex flex-col gap-2">
          {data.map((attachment) => (
            <li key={attachment.id}>
              <AttachmentRow policy={policy} attachment={attachment} />
            </li>
          ))}
        </ul>
      )}
      {policy.status !== 'archived' && <AttachForm policy={policy} />}
    </>
  )
}

const AttachmentRow = ({ policy, attachment }: { policy: Policy; attachment: PolicyAttachment }) => {
  const reason = usePolicyReason(policy)
  const { detach } = usePolicyChanges()
  const [isBusy, setIsBusy] = useState(false)
  const remove = async () => {
    setIsBusy(true)
    try {
      await detach(policy.id, attachment.id)
      toast('The policy is detached.')
    } catch (error) {
      toastProblem('Detach: failed', error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <div className="flex flex-wrap items-center gap-2 rounded-lg border border-line px-3 py-1.5">
      <span className="text-ink-3">{wordOf(words.policySubjects, attachment.subject_type)}</span>
      <Subject attachment={attachment} />
      {attachment.new_runs_only && <Badge label="New runs only" tone="plain" />}
      <Button isSmall kind="quiet" className="ms-auto" isBusy={isBusy} reason={reason} onClick={() => void remove()}>
        Detach
      </Button>
    </div>
  )
}

const subjectLook = 'min-w-0 break-words font-medium [unicode-bidi:isolate]'

const Subject = ({ attachment: { subject_type, subject_id } }: { attachment: PolicyAttachment }) => {
  const { organisation } = useSession()
  if (subject_type === 'agent') return <AgentLink id={subject_id} />
  if (subject_type === 'api_key') return <KeyLink id={subject_id} />
  return <span className={subjectLook}>{organisation.name}</span>
}

const AgentLink = ({ id }: { id: string }) => (
  <Link to="/agents/$agentId" params={{ agentId: id }} className={`${subjectLook} text-accent hover:underline`}>
    {useAgentName()(id)}
  </Link>
)

const KeyLink = ({ id }: { id: string }) => {
  const { data: keys = [] } = useQuery({ ...apiKeyNamesQuery, enabled: useMay('keys:read') })
  return (
    <Link
      to="/settings/api-keys/$keyId"
      params={{ keyId: id }}
      className={`${subjectLook} text-accent hover:underline`}
    >
      {keys.find((key) => key.id === id)?.name ?? id}
    </Link>
  )
}

const AttachForm = ({ policy }: { policy: Policy }) => {
  const reason = usePolicyReason(policy)
  const { organisation } = useSession()
  const { attach } = usePolicyChanges()
  const [type, setType] = useState<PolicySubjectType>('organisation')
  const [chosen, setChosen] = useState('')
  const [isNewOnly, setIsNewOnly] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const subjectId = type === 'organisation' ? organisation.id : chosen
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(null)
    try {
      await attach(policy.id, { subject_id: subjectId, new_runs_only: isNewOnly })
      setChosen('')
      toast('The policy is attached.', 'It judges every run that is accepted 5 seconds from now.')
    } catch (error) {
      setProblem(error)
    } finally {
      setIsBusy(false)
    }
  }
  const missing = subjectId === '' ? `Choose the ${type === 'agent' ? 'agent' : 'API key'} first.` : undefined
  return (
    <form noValidate className="mt-4" onSubmit={(event) => void submit(event)}>
      <SelectField
        label="Attach to"
        value={type}
        onChange={({ target }) => {
          setType(policySubjectTypes.find((each) => each === target.value) ?? 'organisation')
          setChosen('')
        }}
      >
        {policySubjectTypes.map((each) => (
          <option key={each} value={each}>
            {words.policySubjects[each]}
          </option>
        ))}
      </SelectField>
      {type === 'agent' && <AgentSelect value={chosen} onPick={setChosen} />}
      {type === 'api_key' && <KeySelect value={chosen} onPick={setChosen} />}
      <Checkbox
        label="New runs only"
        help="Without it, rules that block or ask a person also reach active runs, from their next check on."
        checked={isNewOnly}
        onChange={({ target }) => setIsNewOnly(target.checked)}
      />
      {problem !== null && <Problem title="Attach: failed" error={problem} />}
      <Button type="submit" className="mt-2" isBusy={isBusy} reason={reason ?? missing}>
        Attach
      </Button>
    </form>
  )
}

type SelectProps = { value: string; onPick(id: string): void }

const AgentSelect = ({ value, onPick }: SelectProps) => {
  const { data: agents = [] } = useQuery({ ...agentNamesQuery, enabled: useMay('agents:read') })
  return (
    <SelectField label="Agent" isRequired value={value} onChange={({ target }) => onPick(target.value)}>
      <option value="">Choose an agent</option>
      {agents
        .filter(({ status }) => status === 'active')
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </SelectField>
  )
}

const KeySelect = ({ value, onPick }: SelectProps) => {
  const { data: keys = [] } = useQuery({ ...apiKeyNamesQuery, enabled: useMay('keys:read') })
  return (
    <SelectField
      label="API key"
      isRequired
      help="All rotations of a key are one key."
      value={value}
      onChange={({ target }) => onPick(target.value)}
    >
      <option value="">Choose an API key</option>
      {keys
        .filter(({ revoked_at }) => revoked_at === null)
        .map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
    </SelectField>
  )
}
