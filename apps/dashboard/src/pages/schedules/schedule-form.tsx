import { scheduleMisseds, scheduleOverlaps } from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { agentNamesQuery } from '../../api/agents.ts'
import { pipelineNamesQuery } from '../../api/pipelines.ts'
import { useMay } from '../../session.ts'
import { Button } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { flowWords } from '../../ui/flow-words.ts'
import { JsonField } from '../../ui/json-field.tsx'
import { usePreferences } from '../../ui/preferences.ts'
import { Problem } from '../../ui/problem.tsx'
import { fromLocalInput, toLocalInput } from '../../ui/range.ts'
import { useSubmission } from '../../ui/use-submission.ts'
import {
  checkSchedule,
  type ScheduleErrors,
  type ScheduleFields,
  scheduleBounds,
  scheduleFieldNames,
  type TargetKind,
  type TimingKind,
  targetKinds,
  timingKinds,
} from './schedule-fields.ts'
import { cronWords } from './timing-words.ts'

const timingLabels: Readonly<Record<TimingKind, string>> = { cron: 'Cron', interval: 'Interval', once: 'Once' }
const targetLabels: Readonly<Record<TargetKind, string>> = { agent: 'Agent', pipeline: 'Pipeline' }

type PartProps = {
  fields: ScheduleFields
  errors: ScheduleErrors
  change(part: Partial<ScheduleFields>): void
}

/** When a schedule fires, what it starts, and by which rules. */
export const ScheduleForm = (props: {
  initial: ScheduleFields
  verb: string
  reason: string | undefined
  onSubmit(fields: ScheduleFields): Promise<void>
  children?: ReactNode
}) => {
  const { verb, reason } = props
  const [fields, setFields] = useState(props.initial)
  const change = (part: Partial<ScheduleFields>) => setFields((was) => ({ ...was, ...part }))
  const { errors, problem, isBusy, submit } = useSubmission({
    names: scheduleFieldNames,
    check: () => checkSchedule(fields),
    send: () => props.onSubmit(fields),
  })
  const part = { fields, errors, change }
  return (
    <form
      noValidate
      onSubmit={(event) => void submit(event)}
      className="grid grid-cols-[minmax(0,1fr)] gap-x-8 p-4 lg:grid-cols-[minmax(0,30rem)_minmax(0,40rem)]"
    >
      <div className="min-w-0">
        <TextField
          label="Name"
          isRequired
          maxLength={200}
          value={fields.name}
          error={errors.name}
          onChange={({ target }) => change({ name: target.value })}
        />
        <TimingPart {...part} />
        <RulesPart {...part} />
      </div>
      <div className="min-w-0">
        <TargetPart {...part} />
        {problem !== null && <Problem title={`${verb}: failed`} error={problem} />}
        <div className="flex gap-2">
          <Button kind="primary" type="submit" isBusy={isBusy} reason={reason}>
            {verb}
          </Button>
          {props.children}
        </div>
      </div>
    </form>
  )
}

const TimingPart = ({ fields, errors, change }: PartProps) => {
  const isUtc = usePreferences().zone === 'utc'
  return (
    <fieldset>
      <SelectField
        label="Fires"
        value={fields.timing}
        onChange={({ target }) => change({ timing: timingKinds.find((each) => each === target.value) ?? 'cron' })}
      >
        {timingKinds.map((each) => (
          <option key={each} value={each}>
            {timingLabels[each]}
          </option>
        ))}
      </SelectField>
      {fields.timing === 'cron' && (
        <div className="grid grid-cols-2 gap-3">
          <TextField
            label="Cron expression"
            isRequired
            className="font-mono"
            maxLength={100}
            value={fields.cron}
            help={`${cronWords(fields.cron)}. Fields: minute, hour, day of month, month, day of week.`}
            error={errors.cron}
            onChange={({ target }) => change({ cron: target.value })}
          />
          <TextField
            label="Time zone"
            isRequired
            maxLength={64}
            value={fields.zone}
            help="An IANA name, such as Europe/Berlin. A skipped hour fires once after it, a doubled hour once."
            error={errors.time_zone}
            onChange={({ target }) => change({ zone: target.value })}
          />
        </div>
      )}
      {fields.timing === 'interval' && (
        <TextField
          label="Minutes between two dates"
          isRequired
          type="number"
          min={scheduleBounds.minMinutes}
          max={scheduleBounds.maxMinutes}
          value={fields.minutes}
          error={errors.interval_seconds}
          onChange={({ target }) => change({ minutes: target.value })}
        />
      )}
      {fields.timing === 'once' && (
        <TextField
          label={isUtc ? 'Date (UTC)' : 'Date'}
          isRequired
          type="datetime-local"
          value={toLocalInput(fields.onceAt, isUtc)}
          error={errors.once_at}
          onChange={({ target }) => change({ onceAt: fromLocalInput(target.value, isUtc) })}
        />
      )}
    </fieldset>
  )
}

const RulesPart = ({ fields, errors, change }: PartProps) => (
  <fieldset>
    <div className="grid grid-cols-2 gap-3">
      <SelectField
        label="Missed dates"
        help="A date that is noticed over 5 minutes late."
        value={fields.missed}
        error={errors.missed}
        onChange={({ target }) => change({ missed: scheduleMisseds.find((each) => each === target.value) ?? 'skip' })}
      >
        {scheduleMisseds.map((each) => (
          <option key={each} value={each}>
            {flowWords.missed[each]}
          </option>
        ))}
      </SelectField>
      <SelectField
        label="While an earlier one runs"
        help="At most 10 firings wait."
        value={fields.overlap}
        error={errors.overlap}
        onChange={({ target }) => change({ overlap: scheduleOverlaps.find((each) => each === target.value) ?? 'skip' })}
      >
        {scheduleOverlaps.map((each) => (
          <option key={each} value={each}>
            {flowWords.overlap[each]}
          </option>
        ))}
      </SelectField>
    </div>
    <TextField
      label="Budget in US dollars a month (optional)"
      help="When it is spent, firings are skipped until the next month."
      type="number"
      min={0}
      step="any"
      value={fields.budget}
      error={errors.monthly_budget_usd}
      onChange={({ target }) => change({ budget: target.value })}
    />
  </fieldset>
)

const TargetPart = ({ fields, errors, change }: PartProps) => {
  const { data: agents = [] } = useQuery({ ...agentNamesQuery, enabled: useMay('agents:read') })
  const { data: pipelines = [] } = useQuery({ ...pipelineNamesQuery, enabled: useMay('pipelines:read') })
  return (
    <fieldset>
      <SelectField
        label="Starts"
        value={fields.target}
        onChange={({ target }) => change({ target: targetKinds.find((each) => each === target.value) ?? 'agent' })}
      >
        {targetKinds.map((each) => (
          <option key={each} value={each}>
            {targetLabels[each]}
          </option>
        ))}
      </SelectField>
      {fields.target === 'agent' ? (
        <Choice
          label="Agent"
          none="Choose an agent"
          things={agents}
          value={fields.agentId}
          error={errors.agent_id}
          onPick={(agentId) => change({ agentId })}
        />
      ) : (
        <Choice
          label="Pipeline"
          none="Choose a pipeline"
          things={pipelines}
          value={fields.pipelineId}
          error={errors.pipeline_id}
          onPick={(pipelineId) => change({ pipelineId })}
        />
      )}
      <JsonField
        label="Input of each run, as JSON"
        value={fields.input}
        error={errors.input}
        onChange={(input) => change({ input })}
      />
    </fieldset>
  )
}

/** Archived things are left out, unless one of them is the choice of today. */
const Choice = (props: {
  label: string
  none: string
  things: readonly { id: string; name: string; status: string }[]
  value: string
  error: string | undefined
  onPick(id: string): void
}) => {
  const shown = props.things.filter(({ id, status }) => status === 'active' || id === props.value)
  const isUnknown = props.value !== '' && !shown.some(({ id }) => id === props.value)
  return (
    <SelectField
      label={props.label}
      isRequired
      value={props.value}
      error={props.error}
      onChange={({ target }) => props.onPick(target.value)}
    >
      <option value="">{props.none}</option>
      {isUnknown && <option value={props.value}>{props.value}</option>}
      {shown.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
