import { limits, type PolicyMode, type PolicyRuleInput, policyChecks, policyModes } from '@agent-run-service/sdk'
import { type FormEvent, type ReactNode, useState } from 'react'
import { fieldErrors, refusalsOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { LeaveGuard } from '../../ui/leave-guard.tsx'
import { Problem } from '../../ui/problem.tsx'
import { words } from '../../ui/words.ts'
import { draftRule } from './draft-rule.ts'
import { exampleRules } from './example-rule.ts'
import { RuleCard } from './rule-card.tsx'
import { type RuleFault, ruleFaults } from './rule-faults.ts'

export type PolicyFields = { name: string; description: string; mode: PolicyMode; rules: unknown }

/** Name, description and rules of a policy. The rules are JSON; beside them they stand in words, with controls for what is simple. */
export const RulesForm = (props: {
  initial: PolicyFields
  /** The policy exists: its mode is changed by its own buttons. */
  isMade?: boolean
  verb: string
  reason: string | undefined
  onSend(fields: PolicyFields & { rules: readonly PolicyRuleInput[] }): Promise<void>
  children?: ReactNode
}) => {
  const [fields, setFields] = useState(props.initial)
  const [isSent, setIsSent] = useState(false)
  /** The text of the rules is no JSON at the moment. An example would replace it. */
  const [isBroken, setIsBroken] = useState(false)
  const [isBusy, setIsBusy] = useState(false)
  const [errors, setErrors] = useState<Partial<Record<'name' | 'description' | 'rules', string>>>({})
  const [faults, setFaults] = useState<readonly RuleFault[]>([])
  const [problem, setProblem] = useState<unknown>(null)
  const change = (part: Partial<PolicyFields>) => setFields((was) => ({ ...was, ...part }))
  const rules = Array.isArray(fields.rules) ? fields.rules : null
  const setRules = (edit: (was: unknown[]) => unknown[]) => change({ rules: edit(rules ?? []) })
  const check = (): typeof errors => ({
    ...(fields.name.trim() === '' && { name: 'Give the policy a name.' }),
    ...((rules === null || rules.length === 0) && { rules: 'Write a list of at least one rule.' }),
  })
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found = check()
    setErrors(found)
    setFaults([])
    setProblem(null)
    if (isBusy || Object.keys(found).length > 0) return
    setIsBusy(true)
    setIsSent(true)
    try {
      await props.onSend({ ...fields, name: fields.name.trim(), rules: (rules ?? []) as readonly PolicyRuleInput[] })
    } catch (error) {
      setIsSent(false)
      const named = ruleFaults(refusalsOf(error), rules)
      const refused = fieldErrors(error, ['name', 'description'])
      setFaults(named)
      setErrors({ ...refused, ...(named.length > 0 && { rules: 'The service refuses these rules.' }) })
      if (named.length === 0 && Object.keys(refused).length === 0) setProblem(error)
    } finally {
      setIsBusy(false)
    }
  }
  const isDirty = JSON.stringify(fields) !== JSON.stringify(props.initial)
  return (
    <form
      noValidate
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-[minmax(0,1fr)] gap-8 p-4 xl:grid-cols-[minmax(0,44rem)_minmax(0,1fr)]"
    >
      <LeaveGuard isDirty={isDirty && !isSent} />
      <div className="min-w-0">
        {problem !== null && <Problem title={`${props.verb}: failed`} error={problem} />}
        <TextField
          label="Name"
          isRequired
          maxLength={limits.policyNameChars}
          value={fields.name}
          error={errors.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TextArea
          label="Description"
          rows={2}
          maxLength={limits.policyDescriptionChars}
          value={fields.description}
          error={errors.description}
          onChange={({ target }) => change({ description: target.value })}
        />
        {!props.isMade && (
          <SelectField
            label="Mode"
            help={`In shadow mode it records what it finds and changes nothing. That ends after ${limits.policyShadowDays} days.`}
            value={fields.mode}
            onChange={({ target }) => change({ mode: policyModes.find((each) => each === target.value) ?? 'enforce' })}
          >
            {policyModes.map((each) => (
              <option key={each} value={each}>
                {words.policyModes[each]}
              </option>
            ))}
          </SelectField>
        )}
        <JsonField
          label="Rules, as JSON"
          help="Each rule has a check with its params, the stages where it looks, and an action."
          value={fields.rules}
          error={errors.rules}
          onChange={(value, text) => {
            change({ rules: value })
            setIsBroken(value === undefined && text.trim() !== '')
          }}
        />
        <Faults faults={faults} />
        <SelectField
          label="Add a rule"
          help="Adds an example of this check at the end of the list."
          value=""
          disabled={isBroken}
          onChange={({ target }) => {
            const chosen = policyChecks.find((each) => each === target.value)
            if (chosen) setRules((was) => [...was, exampleRules[chosen]])
          }}
        >
          <option value="">Choose a check</option>
          {policyChecks.map((each) => (
            <option key={each} value={each}>
              {words.policyChecks[each]}
            </option>
          ))}
        </SelectField>
        <div className="mt-3 flex gap-2">
          <Button kind="primary" type="submit" isBusy={isBusy} reason={props.reason}>
            {props.verb}
          </Button>
          {props.children}
        </div>
      </div>
      <section aria-label="Rules" className="min-w-0">
        <h2 className="mb-2 font-semibold">Rules</h2>
        {(rules ?? []).map((rule, n) => {
          const draft = draftRule(rule)
          return draft ? (
            <RuleCard
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule that is being written may have no id.
              key={n}
              number={n + 1}
              rule={draft}
              onChange={(next) => setRules((was) => was.with(n, next))}
              onRemove={() => setRules((was) => was.toSpliced(n, 1))}
            />
          ) : (
            // biome-ignore lint/suspicious/noArrayIndexKey: see above.
            <p key={n} className="mb-3 text-ink-2">
              Rule {n + 1} is not complete yet.
            </p>
          )
        })}
      </section>
    </form>
  )
}

const Faults = ({ faults }: { faults: readonly RuleFault[] }) =>
  faults.length === 0 ? null : (
    <div role="alert" aria-label="Errors of the rules" className="mb-3 rounded-lg border border-bad/50 bg-bad-soft p-3">
      <ul>
        {faults.map(({ place, message }) => (
          <li key={`${place} ${message}`} className="break-words">
            <strong className="font-medium">{place}</strong>: {message}
          </li>
        ))}
      </ul>
    </div>
  )
