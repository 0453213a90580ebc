import {
  limits,
  type PolicyMode,
  type PolicyTemplate,
  type PolicyTemplateParam,
  policyModes,
} from '@agent-run-service/sdk'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useId, useState } from 'react'
import { modelsQuery } from '../../api/models.ts'
import { refusalsOf } from '../../api/problem.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Checkbox, SelectField, TextArea, TextField } from '../../ui/field.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { Problem } from '../../ui/problem.tsx'
import { wordOf, words } from '../../ui/words.ts'
import { SubjectFields, useSubject } from './subject-fields.tsx'
import { checkTemplate, fieldsOfTemplate, paramsOf } from './template-fields.ts'
import { useAdoption } from './use-adoption.ts'

/** Asks for the parameters of a template, what it will be attached to, and its mode. Shadow changes nothing. */
export const AdoptDialog = ({ template, onClose }: { template: PolicyTemplate; onClose(): void }) => {
  const adopt = useAdoption()
  const [fields, setFields] = useState(() => fieldsOfTemplate(template))
  const subject = useSubject()
  const [mode, setMode] = useState<PolicyMode>('shadow')
  const [faults, setFaults] = useState<Partial<Record<string, string>>>({})
  const [problem, setProblem] = useState<unknown>(null)
  const [isBusy, setIsBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const found = checkTemplate(template, fields)
    setFaults(found)
    setProblem(null)
    if (isBusy || Object.keys(found).length > 0) return
    setIsBusy(true)
    try {
      await adopt({ template: template.key, params: paramsOf(template, fields), mode }, subject.request)
      onClose()
    } catch (error) {
      const refused = faultsOf(template, error)
      setFaults(refused)
      if (Object.keys(refused).length === 0) setProblem(error)
    } finally {
      setIsBusy(false)
    }
  }
  return (
    <Dialog isOpen onClose={onClose} title={`Adopt ${template.name}`} description={template.description}>
      <form noValidate onSubmit={(event) => void submit(event)}>
        {template.params.map((param) => (
          <ParamField
            key={param.name}
            param={param}
            value={fields[param.name]}
            error={faults[param.name]}
            onChange={(value) => setFields((was) => ({ ...was, [param.name]: value }))}
          />
        ))}
        <SubjectFields subject={subject} />
        <SelectField
          label="Mode"
          help={`In shadow mode it records what it finds and changes nothing. That ends after ${limits.policyShadowDays} days.`}
          value={mode}
          onChange={({ target }) => setMode(policyModes.find((each) => each === target.value) ?? 'shadow')}
        >
          {policyModes.map((each) => (
            <option key={each} value={each}>
              {words.policyModes[each]}
            </option>
          ))}
        </SelectField>
        {problem !== null && <Problem title="Adopt: failed" error={problem} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={isBusy} reason={subject.missing}>
            Adopt
          </Button>
        </div>
      </form>
    </Dialog>
  )
}

/** `params.hosts` belongs to the parameter `hosts`. */
const faultsOf = ({ params }: PolicyTemplate, error: unknown): Partial<Record<string, string>> =>
  Object.fromEntries(
    refusalsOf(error)
      .map(({ param, message }) => [param.split('.')[1] ?? '', message] as const)
      .filter(([name]) => params.some((each) => each.name === name)),
  )

type ParamFieldProps = {
  param: PolicyTemplateParam
  value: unknown
  error: string | undefined
  onChange(value: unknown): void
}

const ParamField = (props: ParamFieldProps) => {
  const { param, value, error, onChange } = props
  const common = { label: labelOf(param), help: param.description, error, isRequired: param.required }
  if (param.values !== null) return <ChoiceField {...props} values={param.values} />
  if (param.name === 'model') return <ModelField {...props} />
  switch (param.type) {
    case 'string_list':
      return (
        <TextArea
          {...common}
          help={`${param.description} One on each line.`}
          rows={4}
          value={String(value ?? '')}
          onChange={({ target }) => onChange(target.value)}
        />
      )
    case 'boolean':
      return (
        <Checkbox
          label={common.label}
          help={param.description}
          checked={value === true}
          onChange={({ target }) => onChange(target.checked)}
        />
      )
    case 'object':
      return <JsonField label={common.label} help={param.description} value={value} error={error} onChange={onChange} />
    default:
      return (
        <TextField
          {...common}
          type={param.type === 'number' ? 'number' : 'text'}
          value={String(value ?? '')}
          onChange={({ target }) => onChange(target.value)}
        />
      )
  }
}

/** `max_usd` as a label. */
const labelOf = ({ name }: PolicyTemplateParam): string => {
  const text = name.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

const ChoiceField = ({ param, value, values, error, onChange }: ParamFieldProps & { values: readonly string[] }) => {
  const chosen = Array.isArray(value) ? value.map(String) : []
  return (
    <fieldset className="mb-3 rounded-md border border-line px-3 pb-2">
      <legend className="px-1 font-medium">{labelOf(param)}</legend>
      {values.map((each) => (
        <Checkbox
          key={each}
          label={wordOf(words.piiKinds, each)}
          checked={chosen.includes(each)}
          onChange={({ target }) =>
            onChange(values.filter((one) => (one === each ? target.checked : chosen.includes(one))))
          }
        />
      ))}
      {error !== undefined && (
        <p role="alert" className="mt-1 text-bad text-xs">
          {error}
        </p>
      )}
    </fieldset>
  )
}

const ModelField = ({ param, value, error, onChange }: ParamFieldProps) => {
  const id = useId()
  const { data: models = [] } = useQuery(modelsQuery)
  return (
    <>
      <TextField
        label={labelOf(param)}
        help="A model that also judges. Without one, only the words are looked for."
        error={error}
        list={id}
        value={String(value ?? '')}
        onChange={({ target }) => onChange(target.value)}
      />
      <datalist id={id}>
        {models
          .filter(({ is_pattern }) => !is_pattern)
          .map((model) => (
            <option key={model.id} value={model.id} />
          ))}
      </datalist>
    </>
  )
}
