import { limits, rollbackMetrics } from '@agent-run-service/sdk'
import { Plus, X } from 'lucide-react'
import { Button, IconButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { words } from '../../ui/words.ts'
import type { FieldFault } from './agent-fields.ts'
import { isMetric, metricUnits, newRule, type RolloutFields, type RuleFields, shares } from './rollout.ts'

/** «To whom»: everyone, or a share with rules that roll it back. */
export const RolloutForm = ({
  value,
  onChange,
  faults,
}: {
  value: RolloutFields
  onChange(value: RolloutFields): void
  faults: readonly FieldFault[]
}) => {
  const errorAt = (field: string) => faults.find((fault) => fault.field === `rollout.${field}`)?.message
  const setRule = (n: number, part: Partial<RuleFields>) =>
    onChange({ ...value, rules: value.rules.map((rule, at) => (at === n ? { ...rule, ...part } : rule)) })
  return (
    <div className="max-w-[40rem]">
      <fieldset className="mb-4">
        <legend className="mb-2 font-medium">Who gets the new version</legend>
        {(['everyone', 'canary'] as const).map((to) => (
          <label key={to} className="mb-1 flex items-start gap-2">
            <input
              type="radio"
              name="rollout.to"
              checked={value.to === to}
              onChange={() => onChange({ ...value, to })}
              className="mt-0.5 size-4 accent-accent"
            />
            <span>
              <span className="block">{choiceWords[to].title}</span>
              <span className="text-ink-3 text-xs">{choiceWords[to].text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {value.to === 'canary' && (
        <>
          <Share
            value={value.share}
            error={errorAt('traffic_percent')}
            onChange={(share) => onChange({ ...value, share })}
          />
          <h3 className="mb-1 font-medium">Rules that roll it back</h3>
          <p className="mb-2 text-ink-3 text-xs">
            A rule acts when the figure of the canary is above the value with 99 % confidence and worse than the running
            version.
          </p>
          {value.rules.map((rule, n) => (
            <Rule
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule has no identity but its place.
              key={n}
              n={n}
              rule={rule}
              errorAt={(field) => errorAt(`rollback_rules.${n}.${field}`)}
              onChange={(part) => setRule(n, part)}
              onRemove={() => onChange({ ...value, rules: value.rules.filter((_, at) => at !== n) })}
            />
          ))}
          <Button
            isSmall
            reason={
              value.rules.length >= limits.rollbackRulesMax ? `At most ${limits.rollbackRulesMax} rules.` : undefined
            }
            onClick={() => onChange({ ...value, rules: [...value.rules, newRule(unused(value.rules))] })}
          >
            <Plus aria-hidden size={13} /> Add a rule
          </Button>
        </>
      )}
    </div>
  )
}

export const Share = ({
  value,
  error,
  onChange,
}: {
  value: string
  error?: string | undefined
  onChange(share: string): void
}) => (
  <fieldset className="mb-3">
    <legend className="mb-1 font-medium">Share of new runs</legend>
    <div className="mb-2 flex flex-wrap gap-1">
      {shares.map((share) => (
        <Button
          key={share}
          isSmall
          aria-pressed={value === share}
          className={pressedLook}
          onClick={() => onChange(share)}
        >
          {share} %
        </Button>
      ))}
    </div>
    <TextField
      label="Own share in percent"
      name="rollout.traffic_percent"
      inputMode="numeric"
      value={value}
      error={error}
      onChange={({ target }) => onChange(target.value)}
    />
  </fieldset>
)

const pressedLook = 'aria-pressed:border-accent aria-pressed:bg-accent-soft aria-pressed:text-accent'

const Rule = (props: {
  n: number
  rule: RuleFields
  errorAt(field: string): string | undefined
  onChange(part: Partial<RuleFields>): void
  onRemove(): void
}) => {
  const { n, rule, errorAt, onChange } = props
  return (
    <fieldset className="mb-3 flex items-start gap-2 rounded-lg border border-line p-3">
      <legend className="sr-only">Rule {n + 1}</legend>
      <div className="grid flex-1 gap-x-3 sm:grid-cols-2">
        <SelectField
          label="Metric"
          value={rule.metric}
          error={errorAt('metric')}
          onChange={({ target }) => isMetric(target.value) && onChange(newRule(target.value))}
        >
          {rollbackMetrics.map((metric) => (
            <option key={metric} value={metric}>
              {words.rollbackMetrics[metric]}
            </option>
          ))}
        </SelectField>
        <TextField
          label={`Above (${metricUnits[rule.metric]})`}
          name={`rollout.rollback_rules.${n}.above`}
          inputMode="decimal"
          value={rule.above}
          error={errorAt('above')}
          onChange={({ target }) => onChange({ above: target.value })}
        />
        <TextField
          label="After at least (runs)"
          inputMode="numeric"
          value={rule.min_runs}
          error={errorAt('min_runs')}
          onChange={({ target }) => onChange({ min_runs: target.value })}
        />
        <TextField
          label="Runs of the last (minutes)"
          inputMode="numeric"
          value={rule.window_minutes}
          error={errorAt('window_seconds')}
          onChange={({ target }) => onChange({ window_minutes: target.value })}
        />
      </div>
      <IconButton label={`Remove rule ${n + 1}`} onClick={props.onRemove}>
        <X aria-hidden size={14} />
      </IconButton>
    </fieldset>
  )
}

const unused = (rules: readonly RuleFields[]) =>
  rollbackMetrics.find((metric) => !rules.some((rule) => rule.metric === metric)) ?? 'failure_rate'

const choiceWords = {
  everyone: { title: 'Everyone', text: 'All new runs use it at once. You can roll it back.' },
  canary: { title: 'A canary', text: 'A share of the new runs uses it. You compare, then promote it or roll it back.' },
} as const
