import type { Policy, PolicyAttachment } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useAgentName } from '../../api/agents.ts'
import { apiKeyNamesQuery } from '../../api/api-keys.ts'
import { policyAttachmentsQuery, usePolicyChanges } from '../../api/policies.ts'
import { useMay, useSession } from '../../session.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Problem } from '../../ui/problem.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { toast, toastProblem } from '../../ui/toast.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { usePolicyReason } from './policy-frame.tsx'
import { SubjectFields, useSubject } from './subject-fields.tsx'

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
  const { attach } = usePolicyChanges()
  const subject = useSubject()
  const [isBusy, setIsBusy] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setIsBusy(true)
    setProblem(null)
    try {
      await attach(policy.id, subject.request)
      subject.forget()
      toast('The policy is attached.', 'It judges every run that is accepted 5 seconds from now.')
    } catch (error) {
      setProblem(error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <form noValidate className="mt-4" onSubmit={(event) => void submit(event)}>
      <SubjectFields subject={subject} />
      {problem !== null && <Problem title="Attach: failed" error={problem} />}
      <Button type="submit" className="mt-2" isBusy={isBusy} reason={reason ?? subject.missing}>
        Attach
      </Button>
    </form>
  )
}
