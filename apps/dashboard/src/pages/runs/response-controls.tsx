import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { JsonField } from '../../ui/json-field.tsx'
import { emptyValue } from '../../ui/schema-form/schema-fields.ts'
import { SchemaForm } from '../../ui/schema-form/schema-form.tsx'
import { type Problems, problemsOf, problemsOfRefusals } from '../../ui/schema-form/schema-problems.ts'
import type { ControlProps } from './decision-controls.ts'

/** Answers a question with a value that fits its schema. */
export const ResponseControls = ({ action, reason, isBusy, refusals, send }: ControlProps) => {
  const schema = action.response_schema
  const [payload, setPayload] = useState<unknown>(() => (schema ? emptyValue(schema) : undefined))
  const [problems, setProblems] = useState<Problems>({})
  const shown = { ...problemsOfRefusals(refusals, 'payload'), ...problems }
  /** After a refusal the form is checked at every change. A check on leaving a field would move the button away. */
  const change = (value: unknown) => {
    setPayload(value)
    if (schema && Object.keys(problems).length > 0) setProblems(problemsOf(schema, value))
  }
  const submit = () => {
    const found = schema ? problemsOf(schema, payload) : {}
    setProblems(found)
    if (Object.keys(found).length === 0) send({ type: 'respond', payload: payload ?? null })
  }
  return (
    <>
      {schema ? (
        <SchemaForm schema={schema} value={payload} onChange={change} problems={shown} />
      ) : (
        <JsonField label="Answer, as JSON" value={payload} onChange={setPayload} error={shown['']} />
      )}
      <Button kind="primary" data-decide="approve" reason={reason} isBusy={isBusy} onClick={submit}>
        Send
      </Button>
    </>
  )
}
