import { type PolicySubjectType, policySubjectTypes } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { apiKeyNamesQuery } from '../../api/api-keys.ts'
import { useMay, useSession } from '../../session.ts'
import { Checkbox, SelectField } from '../../ui/field.tsx'
import { words } from '../../ui/words.ts'
import { AgentOptions } from '../agents/agent-options.tsx'

/** What a policy will be attached to: the organisation, until the person chooses an agent or a key. */
export const useSubject = () => {
  const { organisation } = useSession()
  const [type, setType] = useState<PolicySubjectType>('organisation')
  const [chosen, setChosen] = useState('')
  const [isNewOnly, setIsNewOnly] = useState(false)
  const subjectId = type === 'organisation' ? organisation.id : chosen
  return {
    ...{ type, chosen, isNewOnly, setChosen, setIsNewOnly },
    setType: (next: string) => {
      setType(policySubjectTypes.find((each) => each === next) ?? 'organisation')
      setChosen('')
    },
    request: { subject_id: subjectId, new_runs_only: isNewOnly },
    missing: subjectId === '' ? `Choose the ${type === 'agent' ? 'agent' : 'API key'} first.` : undefined,
    forget: () => setChosen(''),
  }
}

export const SubjectFields = ({ subject }: { subject: ReturnType<typeof useSubject> }) => (
  <>
    <SelectField label="Attach to" value={subject.type} onChange={({ target }) => subject.setType(target.value)}>
      {policySubjectTypes.map((each) => (
        <option key={each} value={each}>
          {words.policySubjects[each]}
        </option>
      ))}
    </SelectField>
    {subject.type === 'agent' && <AgentSelect value={subject.chosen} onPick={subject.setChosen} />}
    {subject.type === 'api_key' && <KeySelect value={subject.chosen} onPick={subject.setChosen} />}
    <Checkbox
      label="New runs only"
      help="Without it, rules that block or ask a person also reach active runs, from their next check on."
      checked={subject.isNewOnly}
      onChange={({ target }) => subject.setIsNewOnly(target.checked)}
    />
  </>
)

type SelectProps = { value: string; onPick(id: string): void }

const AgentSelect = ({ value, onPick }: SelectProps) => {
  const { data: agents = [] } = useQuery({ ...agentNamesQuery, enabled: useMay('agents:read') })
  return (
    <SelectField label="Agent" isRequired value={value} onChange={({ target }) => onPick(target.value)}>
      <AgentOptions agents={agents} />
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
