import { CircleCheck, CircleX, LoaderCircle } from 'lucide-react'
import { lazy, Suspense, useState } from 'react'
import { Problem } from '../../ui/problem.tsx'
import type { DefinitionFault } from './definition-faults.ts'
import type { DefinitionCheck } from './use-definition-check.ts'

const JsonEditor = lazy(async () => ({ default: (await import('../../ui/json-editor.tsx')).JsonEditor }))

/** The text of a definition with its problems. Each problem leads to its place. */
export const DefinitionEditor = (props: {
  text: string
  faults: readonly DefinitionFault[]
  check: DefinitionCheck
  onChange(text: string): void
}) => {
  const { text, faults, check } = props
  const [jump, setJump] = useState<{ from: number; to: number } | null>(null)
  return (
    <div className="mb-3">
      <span className="mb-1 block font-medium">Definition, as JSON</span>
      <div className="[--editor-height:32rem]">
        <Suspense fallback={<div className="h-96 rounded-md border border-line-strong bg-sunken" />}>
          <JsonEditor
            label="Definition, as JSON"
            text={text}
            isInvalid={faults.length > 0}
            jump={jump}
            onChange={props.onChange}
          />
        </Suspense>
      </div>
      <div className="mt-1.5 flex items-center gap-1.5 text-xs" role="status">
        <State text={text} faults={faults} check={check} />
      </div>
      {check.error !== null && <Problem title="The definition was not checked" error={check.error} />}
      {faults.length > 0 && (
        <ul aria-label="Problems of the definition" className="mt-1.5 rounded-lg border border-bad/50 bg-bad-soft p-2">
          {faults.map((fault) => (
            <li key={`${fault.path} ${fault.line} ${fault.column} ${fault.message}`} className="break-words py-0.5">
              <button type="button" className="text-start hover:underline" onClick={() => setJump({ ...fault.part })}>
                <span className="num text-ink-2 text-xs underline">
                  Line {fault.line}, column {fault.column}
                </span>{' '}
                {fault.path !== '' && <code className="font-mono text-xs">{fault.path}</code>} {fault.message}
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

const State = ({ text, faults, check }: Pick<Parameters<typeof DefinitionEditor>[0], 'text' | 'faults' | 'check'>) => {
  if (check.text !== text) {
    return (
      <>
        <LoaderCircle aria-hidden size={13} className="animate-spin text-run" />
        <span className="text-ink-2">Checking…</span>
      </>
    )
  }
  if (faults.length > 0) {
    return (
      <>
        <CircleX aria-hidden size={13} className="text-bad" />
        <span className="text-bad">{faults.length === 1 ? '1 problem' : `${faults.length} problems`}</span>
      </>
    )
  }
  return check.error !== null ? null : (
    <>
      <CircleCheck aria-hidden size={13} className="text-good" />
      <span className="text-good">No problems</span>
    </>
  )
}
