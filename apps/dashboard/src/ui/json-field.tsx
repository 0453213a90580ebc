import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react'
import { jsonFault } from './json-fault.ts'

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }))

/** JSON as a field of a form. `onChange` gets the parsed value, or undefined while the text is no JSON. */
export const JsonField = (props: {
  label: string
  value: unknown
  help?: ReactNode
  error?: string | undefined
  onChange(value: unknown, text: string): void
}) => {
  const { value } = props
  const [text, setText] = useState(() => printed(value))
  const parsed = parse(text)
  // A value from outside, such as the sample of another agent, replaces the text.
  useEffect(() => {
    setText((was) =>
      value === undefined || JSON.stringify(parse(was)?.value) === JSON.stringify(value) ? was : printed(value),
    )
  }, [value])
  const error = parsed ? props.error : jsonFault(text)
  return (
    <div className="mb-3">
      <span className="mb-1 block font-medium">{props.label}</span>
      <Suspense fallback={<div className="h-24 rounded-md border border-line-strong bg-sunken" />}>
        <JsonEditor
          label={props.label}
          text={text}
          isInvalid={error !== undefined}
          onChange={(next) => {
            setText(next)
            props.onChange(parse(next)?.value, next)
          }}
        />
      </Suspense>
      {props.help !== undefined && <p className="mt-1 text-ink-3 text-xs">{props.help}</p>}
      {error !== undefined && (
        <p role="alert" className="mt-1 text-bad text-xs">
          {error}
        </p>
      )}
    </div>
  )
}

const printed = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2))

/** Undefined: no JSON. An empty text is the absent value. */
const parse = (text: string): { value: unknown } | undefined => {
  if (text.trim() === '') return { value: undefined }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return undefined
  }
}
