import { alertMetrics, alertOperators, alertSeverities, limits, runErrorCodes } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { useMay } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { useSubmission } from '../../ui/use-submission.ts'
import { words } from '../../ui/words.ts'
import { metrics } from './metrics.ts'
import { checkFields, checkTerms, fieldNames, type RuleFields } from './rule-fields.ts'
import { RulePreview } from './rule-preview.tsx'

type FormProps = {
  initial: RuleFields
  /** The rule exists: what it watches cannot change any more. */
  isMade?: boolean
  verb: string
  reason: string | undefined
  onSubmit(fields: RuleFields): Promise<void>
}

/** The fields of a rule beside the figure that it watches: the threshold is a line in the chart. */
export const RuleForm = ({ initial, isMade = false, verb, reason, onSubmit }: FormProps) => {
  const [fields, setFields] = useState(initial)
  const { errors, problem, isBusy, submit } = useSubmission({
    names: fieldNames,
    check: () => checkFields(fields),
    send: () => onSubmit(fields),
  })
  const change = (part: Partial<RuleFields>) => setFields({ ...fields, ...part })
  const { unit, step, hasSample, hasNoAgent } = metrics[fields.metric]
  const wrong = { ...checkTerms(fields), ...errors }
  const number = (name: 'threshold' | 'windowMinutes' | 'forMinutes' | 'minSampleSize'): ComponentProps<'input'> => ({
    type: 'number',
    inputMode: 'decimal',
    value: fields[name],
    onChange: ({ target }) => change({ [name]: target.value }),
  })
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-8 p-4 xl:grid-cols-[minmax(0,26rem)_minmax(0,1fr)]">
      <form noValidate onSubmit={(event) => void submit(event)}>
        <TextField
          label="Name"
          isRequired
          maxLength={limits.alertRuleNameChars}
          value={fields.name}
          error={errors.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <Choice
          label="Metric"
          values={alertMetrics}
          wordsOf={words.alertMetrics}
          value={fields.metric}
          disabled={isMade}
          onPick={(metric) => change({ metric })}
        />
        {fields.metric === 'error_code_count' && (
          <Choice
            label="Error code"
            values={runErrorCodes}
            value={fields.errorCode}
            disabled={isMade}
            onPick={(errorCode) => change({ errorCode })}
          />
        )}
        {!hasNoAgent && (
          <AgentField
            agentId={fields.agentId}
            error={errors.agent_id}
            disabled={isMade}
            onPick={(agentId) => change({ agentId })}
          />
        )}
        <div className="grid grid-cols-2 gap-3">
          <Choice
            label="Fires when it is"
            values={alertOperators}
            wordsOf={words.alertOperators}
            value={fields.operator}
            onPick={(operator) => change({ operator })}
          />
          <TextField
            label={`Threshold in ${unit}`}
            help="Arrow keys move the line in the chart."
            min={0}
            step={step}
            error={wrong.threshold}
            {...number('threshold')}
          />
          <TextField
            label="Window in minutes"
            help="The time over which the value is computed."
            min={limits.alertWindowMinSeconds / 60}
            max={limits.alertWindowMaxSeconds / 60}
            error={wrong.window_seconds}
            {...number('windowMinutes')}
          />
          <TextField
            label="For minutes"
            help="How long the value must stay there before it fires."
            min={0}
            error={wrong.for_seconds}
            {...number('forMinutes')}
          />
          {hasSample && (
            <TextField
              label="Least runs or deliveries"
              help="With fewer in the window there is no value."
              min={1}
              error={wrong.min_sample_size}
              {...number('minSampleSize')}
            />
          )}
          <Choice
            label="Severity"
            values={alertSeverities}
            wordsOf={words.alertSeverities}
            value={fields.severity}
            onPick={(severity) => change({ severity })}
          />
        </div>
        {problem !== null && <Problem title={`${verb}: failed`} error={problem} />}
        <Button kind="primary" type="submit" isBusy={isBusy} reason={reason}>
          {verb}
        </Button>
        {isMade && (
          <p className="mt-2 text-ink-3 text-xs">
            What a rule watches stays as it is. If more than name or severity changes, the rule starts again.
          </p>
        )}
      </form>
      <RulePreview fields={fields} isCorrect={Object.keys(checkTerms(fields)).length === 0} />
    </div>
  )
}

const Choice = <Value extends string>(
  props: Omit<ComponentProps<typeof SelectField>, 'value' | 'onChange'> & {
    values: readonly Value[]
    wordsOf?: Readonly<Record<Value, string>>
    value: Value
    onPick(value: Value): void
  },
) => {
  const { values, wordsOf, onPick, ...rest } = props
  return (
    <SelectField
      {...rest}
      onChange={({ target }) => onPick(values.find((each) => each === target.value) ?? rest.value)}
    >
      {values.map((each) => (
        <option key={each} value={each}>
          {wordsOf?.[each] ?? each}
        </option>
      ))}
    </SelectField>
  )
}

const AgentField = (props: {
  agentId: string
  error: string | undefined
  disabled: boolean
  onPick(id: string): void
}) => {
  const { data: agents = [] } = useQuery({ ...agentNamesQuery, enabled: useMay('agents:read') })
  const isUnknown = props.agentId !== '' && !agents.some(({ id }) => id === props.agentId)
  return (
    <SelectField
      label="Agent"
      value={props.agentId}
      error={props.error}
      disabled={props.disabled}
      onChange={({ target }) => props.onPick(target.value)}
    >
      <option value="">All agents</option>
      {isUnknown && <option value={props.agentId}>{props.agentId}</option>}
      {agents.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
