import { apiKeyKinds, limits, type Scope } from '@agent-run-service/sdk'
import { useState } from 'react'
import { useSession } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Problem } from '../../ui/problem.tsx'
import { fromLocalInput, toLocalInput } from '../../ui/range.ts'
import { useSubmission } from '../../ui/use-submission.ts'
import { words } from '../../ui/words.ts'
import { AgentChoice } from './agent-choice.tsx'
import { checkFields, expiryChoices, type KeyErrors, type KeyFields } from './key-fields.ts'
import { ScopeGrid } from './scope-grid.tsx'
import { grantableScopes, scopeNotes } from './scope-rows.ts'

const names = ['name', 'scopes', 'agent_ids', 'expires_at'] as const

/** The fields of a key, to create it and to change it. */
export const KeyForm = (props: {
  start: KeyFields
  verb: string
  /** The kind of an existing key cannot change. */
  isKindFixed?: boolean
  onSubmit(fields: KeyFields): Promise<void>
  onCancel(): void
}) => {
  const { scopes: own } = useSession()
  const isUtc = usePreferences().zone === 'utc'
  const [fields, setFields] = useState(props.start)
  const { errors, problem, isBusy, submit } = useSubmission({
    names,
    check: (): KeyErrors => checkFields(fields),
    send: () => props.onSubmit(fields),
  })
  const change = (part: Partial<KeyFields>) => setFields({ ...fields, ...part })
  const grantable = grantableScopes(own, fields.kind)
  return (
    <form noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        label="Name"
        help="What uses the key, such as «deploy script»."
        isRequired
        maxLength={limits.keyNameChars}
        value={fields.name}
        error={errors.name}
        onChange={({ target }) => change({ name: target.value })}
      />
      {!props.isKindFixed && (
        <SelectField
          label="Kind"
          help="A demo key has low limits, cannot use connectors, and sees only the runs that it created."
          value={fields.kind}
          onChange={({ target }) => {
            const kind = target.value === 'demo' ? 'demo' : 'live'
            const allowed = grantableScopes(own, kind)
            const scopes = new Set<Scope>([...fields.scopes].filter((scope) => allowed.includes(scope)))
            change({ kind, scopes })
          }}
        >
          {apiKeyKinds.map((kind) => (
            <option key={kind} value={kind}>
              {words.apiKeyKinds[kind]}
            </option>
          ))}
        </SelectField>
      )}
      <ScopeGrid
        chosen={fields.scopes}
        grantable={grantable}
        error={errors.scopes}
        notes={scopeNotes(fields.scopes, { isNarrowed: fields.agentIds !== null })}
        onChange={(scopes) => change({ scopes })}
      />
      <AgentChoice chosen={fields.agentIds} error={errors.agent_ids} onChange={(agentIds) => change({ agentIds })} />
      <SelectField
        label="Expires"
        value={fields.expiry}
        error={fields.expiry === 'own' ? undefined : errors.expires_at}
        onChange={({ target }) => change({ expiry: target.value })}
      >
        {expiryChoices.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </SelectField>
      {fields.expiry === 'own' && (
        <TextField
          label={isUtc ? 'Expires at (UTC)' : 'Expires at'}
          type="datetime-local"
          isRequired
          value={toLocalInput(fields.expiresAt, isUtc)}
          error={errors.expires_at}
          onChange={({ target }) => change({ expiresAt: fromLocalInput(target.value, isUtc) })}
        />
      )}
      {problem !== null && <Problem title={`${props.verb}: failed`} error={problem} />}
      <div className="flex justify-end gap-2">
        <Button onClick={props.onCancel}>Cancel</Button>
        <Button kind="primary" type="submit" isBusy={isBusy}>
          {props.verb}
        </Button>
      </div>
    </form>
  )
}
