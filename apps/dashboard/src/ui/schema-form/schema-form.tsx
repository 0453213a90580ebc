import { type ReactNode, useId } from 'react'
import { Button } from '../button.tsx'
import { Checkbox, SelectField, TextArea, TextField } from '../field.tsx'
import { JsonField } from '../json-field.tsx'
import { emptyValue, type FieldKind, fieldOf, isObject, type Schema, withProperty } from './schema-fields.ts'
import type { Problems } from './schema-problems.ts'

export type SchemaFormProps = {
  schema: Schema
  value: unknown
  onChange(value: unknown): void
  problems: Problems
  /** Called when a field is left, to check the form. */
  onLeave?(): void
}

/** A form made from a JSON Schema. The value is the truth: parts that the form cannot show stay as they are. */
export const SchemaForm = ({ schema, onLeave, ...rest }: SchemaFormProps) => (
  <fieldset onBlur={onLeave}>
    {rest.problems[''] !== undefined && (
      <p role="alert" className="mb-2 text-bad">
        {rest.problems['']}
      </p>
    )}
    <Part {...rest} schema={schema} name="" path="" depth={0} isRequired={false} />
  </fieldset>
)

type PartProps = Omit<SchemaFormProps, 'onLeave'> & { name: string; path: string; depth: number; isRequired: boolean }

const Part = (props: PartProps): ReactNode => {
  const { schema, value, onChange, path, problems, isRequired } = props
  const field = fieldOf(schema, props.depth)
  const label = schema.title ?? (props.name || 'Value')
  const common = { label, help: schema.description, error: path === '' ? undefined : problems[path], isRequired }
  switch (field.kind) {
    case 'text': {
      const text = { value: typeof value === 'string' ? value : '', maxLength: schema.maxLength }
      const change = (next: string) => onChange(next === '' && !isRequired ? undefined : next)
      return field.isLong ? (
        <TextArea {...common} {...text} rows={4} onChange={({ target }) => change(target.value)} />
      ) : (
        <TextField {...common} {...text} type={field.input} onChange={({ target }) => change(target.value)} />
      )
    }
    case 'number':
      return (
        <TextField
          {...common}
          type="number"
          step={field.step}
          min={schema.minimum}
          max={schema.maximum}
          value={typeof value === 'number' ? value : ''}
          onChange={({ target }) => onChange(target.value === '' ? undefined : Number(target.value))}
        />
      )
    case 'boolean':
      return (
        <div className="mb-3">
          <Checkbox
            label={label}
            help={schema.description}
            checked={value === true}
            onChange={({ target }) => onChange(target.checked)}
          />
        </div>
      )
    case 'choice':
      return (
        <SelectField
          {...common}
          value={field.values.indexOf(value as string)}
          onChange={({ target }) => onChange(field.values[Number(target.value)])}
        >
          <option value={-1}>{isRequired ? 'Choose one' : 'None'}</option>
          {field.values.map((each, n) => (
            <option key={String(each)} value={n}>
              {String(each)}
            </option>
          ))}
        </SelectField>
      )
    case 'lines':
      return <Lines {...props} of={field.of} common={common} />
    case 'object':
      return <Properties {...props} label={label} properties={field.properties} />
    case 'list':
      return <Items {...props} label={label} items={field.items} />
    case 'variant':
      return <Variants {...props} label={label} field={field} />
    case 'json':
      return (
        <JsonField label={label} help={schema.description} error={common.error} value={value} onChange={onChange} />
      )
  }
}

type Common = { label: string; help: string | undefined; error: string | undefined; isRequired: boolean }

const Lines = ({
  value,
  onChange,
  of,
  common,
}: PartProps & { of: 'string' | 'number' | 'integer'; common: Common }) => (
  <TextArea
    {...common}
    rows={3}
    help={common.help ? `${common.help} One on each line.` : 'One on each line.'}
    value={Array.isArray(value) ? value.join('\n') : ''}
    onChange={({ target }) => {
      const lines = target.value === '' ? [] : target.value.split('\n')
      onChange(
        lines.map((line) => (of === 'string' || Number.isNaN(Number(line)) || line === '' ? line : Number(line))),
      )
    }}
  />
)

const Properties = (props: PartProps & { label: string; properties: readonly (readonly [string, Schema])[] }) => {
  const { schema, value, onChange, path, depth } = props
  const parts = props.properties.map(([name, each]) => (
    <Part
      key={name}
      schema={each}
      name={name}
      path={`${path}/${name}`}
      depth={depth + 1}
      isRequired={schema.required?.includes(name) ?? false}
      value={isObject(value) ? value[name] : undefined}
      onChange={(next) => onChange(withProperty(value, name, next))}
      problems={props.problems}
    />
  ))
  return path === '' ? (
    parts
  ) : (
    <Group label={props.label} help={schema.description}>
      {parts}
    </Group>
  )
}

const Group = ({ label, help, children }: { label: string; help?: string | undefined; children: ReactNode }) => (
  <fieldset className="mb-3 rounded-md border border-line p-3">
    <legend className="px-1 font-medium">{label}</legend>
    {help !== undefined && <p className="mb-2 text-ink-3 text-xs">{help}</p>}
    {children}
  </fieldset>
)

const maxItems = 100

const Items = (props: PartProps & { label: string; items: Schema }) => {
  const { value, onChange, path, items } = props
  const list = Array.isArray(value) ? (value as unknown[]) : []
  return (
    <Group label={props.label} help={props.schema.description}>
      {list.slice(0, maxItems).map((each, n) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an item of a list has no other name than its place.
        <div key={n} className="mb-2 border-line border-b pb-2">
          <Part
            {...props}
            schema={items}
            name={`${n + 1}`}
            path={`${path}/${n}`}
            depth={props.depth + 1}
            isRequired
            value={each}
            onChange={(next) => onChange(list.with(n, next))}
          />
          <Button isSmall onClick={() => onChange(list.filter((_, at) => at !== n))}>
            Remove {n + 1}
          </Button>
        </div>
      ))}
      <Button
        isSmall
        reason={list.length >= maxItems ? `A form has at most ${maxItems} entries. Edit the rest as JSON.` : undefined}
        onClick={() => onChange([...list, emptyValue(items) ?? {}])}
      >
        Add
      </Button>
    </Group>
  )
}

const Variants = (props: PartProps & { label: string; field: Extract<FieldKind, { kind: 'variant' }> }) => {
  const { value, onChange, field } = props
  const name = useId()
  const chosen = isObject(value) ? field.variants.find(([each]) => each === value[field.by]) : undefined
  const others = chosen?.[1].properties
    ? Object.fromEntries(Object.entries(chosen[1].properties).filter(([key]) => key !== field.by))
    : {}
  return (
    <Group label={props.label} help={props.schema.description}>
      <div className="mb-2 flex flex-wrap gap-4">
        {field.variants.map(([each, schema]) => (
          <label key={each} className="flex min-h-6 items-center gap-1.5">
            <input
              type="radio"
              name={name}
              checked={chosen?.[0] === each}
              onChange={() => onChange({ ...(emptyValue(schema) as object), [field.by]: each })}
              className="accent-accent"
            />
            {schema.title ?? each}
          </label>
        ))}
      </div>
      {chosen && Object.keys(others).length > 0 && (
        <Part {...props} schema={{ ...chosen[1], title: chosen[0], properties: others }} depth={props.depth + 1} />
      )}
    </Group>
  )
}
