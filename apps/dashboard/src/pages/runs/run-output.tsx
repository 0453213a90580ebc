import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { CopyButton } from '../../ui/copy-button.tsx'
import { JsonView, LargeText } from '../../ui/json-view.tsx'

const Markdown = lazy(async () => ({ default: (await import('../../ui/markdown.tsx')).Markdown }))

const tailChars = 10_000
const maxPlainChars = 500_000
const forms = ['Text', 'Markdown', 'JSON'] as const

/** What the agent says. While it grows, its tail is drawn, so that the cost of one paint has a bound; at the end, all of it. */
export const RunOutput = ({
  text,
  output,
  isGrowing,
}: {
  text: string
  /** The output at the end. */
  output: unknown
  isGrowing: boolean
}) => {
  const [form, setForm] = useState<(typeof forms)[number]>('Text')
  const result = resultOf(output)
  const whole = isGrowing ? text : (result ?? text)
  if (whole === '' && (output === null || output === undefined)) return null
  const shown = form === 'Text' && !isGrowing && result === null && output ? 'JSON' : form
  return (
    <section aria-label="Output" className="border-line border-t p-4">
      <div className="mb-2 flex items-center gap-1">
        <h2 className="me-2 font-medium text-ink-3 text-xs">Output</h2>
        {forms.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === shown}
            onClick={() => setForm(each)}
            className="min-h-6 rounded-md px-2 text-ink-2 text-xs hover:bg-sunken aria-pressed:bg-sunken aria-pressed:font-medium aria-pressed:text-ink"
          >
            {each}
          </button>
        ))}
        <span className="ms-auto">
          <CopyButton text={whole === '' ? JSON.stringify(output, null, 2) : whole} label="Copy the output" />
        </span>
      </div>
      <Body form={shown} whole={whole} output={output} isGrowing={isGrowing} />
      <AnnouncedEnd isGrowing={isGrowing} />
    </section>
  )
}

const resultOf = (output: unknown): string | null => {
  const { result } = (output ?? {}) as { result?: unknown }
  return typeof result === 'string' ? result : null
}

type BodyProps = { form: (typeof forms)[number]; whole: string; output: unknown; isGrowing: boolean }

const Body = ({ form, whole, output, isGrowing }: BodyProps) => {
  if (form === 'JSON')
    return <JsonView value={isGrowing ? { result: whole } : (output ?? { result: whole })} name="output" />
  const from = isGrowing ? Math.max(0, whole.length - tailChars) : 0
  const text = whole.slice(from)
  return (
    <>
      {from > 0 && (
        <p className="mb-2 text-ink-3 text-xs">
          {from.toLocaleString('en')} characters before this. All of it is shown at the end.
        </p>
      )}
      {form === 'Markdown' ? (
        <Suspense fallback={<PlainText text={text} isGrowing={isGrowing} />}>
          <Markdown text={text} />
        </Suspense>
      ) : (
        <PlainText text={text} isGrowing={isGrowing} />
      )}
    </>
  )
}

const PlainText = ({ text, isGrowing }: { text: string; isGrowing: boolean }) =>
  text.length > maxPlainChars ? (
    <LargeText text={text} name="output" />
  ) : (
    <p data-output className="max-w-prose whitespace-pre-wrap break-words text-base leading-6 [unicode-bidi:isolate]">
      {text}
      {isGrowing && (
        <span aria-hidden className="ms-0.5 inline-block h-4 w-1.5 animate-pulse bg-accent align-text-bottom" />
      )}
    </p>
  )

/** The text is not read out piece by piece; that it is complete is. */
const AnnouncedEnd = ({ isGrowing }: { isGrowing: boolean }) => {
  const grew = useRef(isGrowing)
  const [isDone, setIsDone] = useState(false)
  useEffect(() => {
    if (grew.current && !isGrowing) setIsDone(true)
    grew.current = isGrowing
  }, [isGrowing])
  return (
    <p role="status" className="sr-only">
      {isDone ? 'The output is complete.' : ''}
    </p>
  )
}
