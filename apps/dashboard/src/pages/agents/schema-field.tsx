import { useState } from 'react'
import { useFormContext, useWatch } from 'react-hook-form'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { TextArea } from '../../ui/field.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { emptyValue, fieldOf, isObject, type Schema } from '../../ui/schema-form/schema-fields.ts'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { type Problems, problemsOf } from '../../ui/schema-form/schema-problems.ts'
import type { AgentFields } from './agent-fields.ts'
import { useFault } from './form-faults.tsx'
import { schemaFrom } from './schema-example.ts'

/** A JSON Schema as text, which can be made from an example. */
export const SchemaField = (props: { name: 'input_schema' | 'output_schema'; label: string; help: string }) => {
  const { setValue } = useFormContext<AgentFields>()
  const text = useWatch<AgentFields, typeof props.name>({ name: props.name })
  const [isOpen, setIsOpen] = useState(false)
  const [isPreviewed, setIsPreviewed] = useState(false)
  const preview = formSchemaOf(parsed(text))
  return (
    <>
      <div id={`field-${props.name}`} tabIndex={-1}>
        <JsonField
          label={props.label}
          help={props.help}
          value={parsed(text)}
          error={useFault(props.name)}
          onChange={(_, next) => setValue(props.name, next, { shouldDirty: true })}
        />
      </div>
      <div className="-mt-1 mb-4 flex flex-wrap gap-2">
        <Button isSmall onClick={() => setIsOpen(true)}>
          Make from an example
        </Button>
        {props.name === 'input_schema' && (
          <Button
            isSmall
            aria-expanded={preview !== undefined && isPreviewed}
            reason={preview === undefined ? 'A form needs a JSON Schema of an object with properties.' : undefined}
            onClick={() => setIsPreviewed(!isPreviewed)}
          >
            Preview of the form
          </Button>
        )}
      </div>
      {preview !== undefined && isPreviewed && <FormPreview schema={preview} />}
      <ExampleDialog
        label={props.label}
        isOpen={isOpen}
        onClose={() => setIsOpen(false)}
        onMade={(schema) => setValue(props.name, JSON.stringify(schema, null, 2), { shouldDirty: true })}
      />
    </>
  )
}

/** Undefined while the text is no JSON: the editor keeps it. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** The schema, if the playground makes a form of it. */
const formSchemaOf = (value: unknown): Schema | undefined =>
  isObject(value) && fieldOf(value as Schema).kind === 'object' ? (value as Schema) : undefined

/** The form that the playground shows for the schema. Nothing of it is sent. */
const FormPreview = ({ schema }: { schema: Schema }) => {
  const [value, setValue] = useState(() => emptyValue(schema))
  const [problems, setProblems] = useState<Problems>({})
  return (
    <section
      aria-label="Preview of the form"
      className="mb-4 rounded-lg border border-line bg-sunken p-3"
      // Enter in a field of the preview must not send the agent.
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target instanceof HTMLInputElement) event.preventDefault()
      }}
    >
      <p className="mb-3 text-ink-3 text-xs">The playground asks for the input of a run with this form.</p>
      <SchemaForm
        schema={schema}
        value={value}
        onChange={setValue}
        problems={problems}
        onLeave={() => setProblems(problemsOf(schema, value))}
      />
    </section>
  )
}

const ExampleDialog = (props: { label: string; isOpen: boolean; onClose(): void; onMade(schema: unknown): void }) => {
  const [text, setText] = useState('{\n  \n}')
  const [error, setError] = useState<string>()
  const make = () => {
    try {
      props.onMade(schemaFrom(JSON.parse(text)))
      setError(undefined)
      props.onClose()
    } catch (caught) {
      setError(`This is not JSON: ${(caught as Error).message}`)
    }
  }
  return (
    <Dialog
      isOpen={props.isOpen}
      onClose={props.onClose}
      title={`${props.label} from an example`}
      description="All fields of the example become required. Change the schema afterwards as you need it."
    >
      <TextArea
        label="Example as JSON"
        rows={10}
        spellCheck={false}
        className="font-mono text-xs"
        value={text}
        error={error}
        onChange={({ target }) => setText(target.value)}
      />
      <div className="flex justify-end gap-2">
        <Button onClick={props.onClose}>Cancel</Button>
        <Button kind="primary" onClick={make}>
          Make the schema
        </Button>
      </div>
    </Dialog>
  )
}
