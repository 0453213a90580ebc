import { type PolicyAction, type PolicyStage, piiKinds, policyActions, policyStages } from '@agent-run-service/sdk'
import { useEffect, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Checkbox, SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { FilterChip } from '../../ui/filter-bar.tsx'
import { words } from '../../ui/words.ts'
import { type DraftRule, linesOf, type SimpleParam, simpleParams, textOfLines } from './draft-rule.ts'
import { ruleSentence } from './rule-words.ts'

/** A rule in words, with controls for what is simple in it. Everything else is changed in the JSON. */
export const RuleCard = (props: {
  number: number
  rule: DraftRule
  onChange(rule: DraftRule): void
  onRemove(): void
}) => {
  const { rule, number, onChange } = props
  const setParam = (name: string, value: unknown) => onChange({ ...rule, params: { ...rule.params, [name]: value } })
  const toggle = (stage: PolicyStage) =>
    onChange({
      ...rule,
      stages: policyStages.filter((each) => (each === stage) !== rule.stages.includes(each)),
    })
  return (
    <fieldset className="mb-3 min-w-0 rounded-lg border border-line px-3 pb-3">
      <legend className="px-1 font-medium">
        Rule {number}, {words.policyChecks[rule.check]}
      </legend>
      <p className="mb-2 break-words text-ink-2 [unicode-bidi:isolate]">{ruleSentence(rule)}</p>
      <SelectField
        label="Action"
        value={rule.action}
        onChange={({ target }) =>
          onChange({
            ...rule,
            action: policyActions.find((each) => each === target.value) ?? ('flag' satisfies PolicyAction),
          })
        }
      >
        {policyActions.map((each) => (
          <option key={each} value={each}>
            {words.policyActions[each]}
          </option>
        ))}
      </SelectField>
      <fieldset className="mb-3">
        <legend className="mb-1 font-medium">Looks at</legend>
        <div className="flex flex-wrap gap-1">
          {policyStages.map((stage) => (
            <FilterChip
              key={stage}
              label={words.policyStages[stage]}
              isOn={rule.stages.includes(stage)}
              onToggle={() => toggle(stage)}
            />
          ))}
        </div>
      </fieldset>
      {simpleParams[rule.check].map((param) => (
        <ParamField
          key={param.name}
          param={param}
          value={rule.params[param.name]}
          onChange={(value) => setParam(param.name, value)}
        />
      ))}
      <Button isSmall kind="quiet" aria-label={`Remove rule ${number}`} onClick={props.onRemove}>
        Remove
      </Button>
    </fieldset>
  )
}

type ParamProps = { param: SimpleParam; value: unknown; onChange(value: unknown): void }

const ParamField = ({ param, value, onChange }: ParamProps) => {
  switch (param.kind) {
    case 'lines':
      return <LinesField label={param.label} items={linesOf(value)} onChange={onChange} />
    case 'kinds':
      return <KindsField label={param.label} chosen={linesOf(value)} onChange={onChange} />
    case 'number':
      return (
        <TextField
          label={param.label}
          type="number"
          min={1}
          value={String(value ?? '')}
          onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
        />
      )
    case 'long':
      return (
        <TextArea
          label={param.label}
          rows={3}
          value={String(value ?? '')}
          onChange={({ target }) => onChange(target.value)}
        />
      )
    default:
      return (
        <TextField label={param.label} value={String(value ?? '')} onChange={({ target }) => onChange(target.value)} />
      )
  }
}

/** One item on each line. The text is kept as it is typed; an empty line is no item. */
const LinesField = ({
  label,
  items,
  onChange,
}: {
  label: string
  items: readonly string[]
  onChange(items: readonly string[]): void
}) => {
  const [text, setText] = useState(() => items.join('\n'))
  const given = items.join('\n')
  // A change from outside, such as in the JSON, replaces the text.
  useEffect(() => {
    setText((was) => (textOfLines(was).join('\n') === given ? was : given))
  }, [given])
  return (
    <TextArea
      label={label}
      help="One on each line."
      rows={Math.min(8, Math.max(2, items.length + 1))}
      value={text}
      onChange={({ target }) => {
        setText(target.value)
        onChange(textOfLines(target.value))
      }}
    />
  )
}

const KindsField = ({
  label,
  chosen,
  onChange,
}: {
  label: string
  chosen: readonly string[]
  onChange(kinds: readonly string[]): void
}) => (
  <fieldset className="mb-3">
    <legend className="mb-1 font-medium">{label}</legend>
    {piiKinds.map((kind) => (
      <Checkbox
        key={kind}
        label={words.piiKinds[kind]}
        checked={chosen.includes(kind)}
        onChange={({ target }) =>
          onChange(piiKinds.filter((each) => (each === kind ? target.checked : chosen.includes(each))))
        }
      />
    ))}
  </fieldset>
)
