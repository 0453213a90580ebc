import { useId, useState } from 'react'
import { CopyButton } from './copy-button.tsx'

export type CodeSample = { title: string; code: string }

/** The same task in several languages, with one copy button. */
export const CodeTabs = ({
  label,
  samples,
  onCopied,
}: {
  label: string
  samples: readonly CodeSample[]
  onCopied?: () => void
}) => {
  const [at, setAt] = useState(0)
  const id = useId()
  const sample = samples[at] ?? samples[0]
  if (!sample) return null
  return (
    <div className="overflow-hidden rounded-lg border border-line text-start">
      <div className="flex flex-wrap items-center gap-1 border-line border-b bg-sunken px-2">
        <div role="tablist" aria-label={label} className="flex flex-wrap gap-1">
          {samples.map(({ title }, n) => (
            <button
              key={title}
              type="button"
              role="tab"
              id={`${id}-tab-${n}`}
              aria-selected={n === at}
              aria-controls={`${id}-panel`}
              tabIndex={n === at ? 0 : -1}
              onClick={() => setAt(n)}
              onKeyDown={({ key, currentTarget }) => {
                const step = { ArrowRight: 1, ArrowLeft: -1 }[key]
                if (step === undefined) return
                const next = (at + step + samples.length) % samples.length
                setAt(next)
                currentTarget.parentElement?.querySelectorAll<HTMLElement>('[role=tab]')[next]?.focus()
              }}
              className="border-transparent border-b-2 px-2 py-1.5 text-ink-2 text-xs aria-selected:border-accent aria-selected:font-medium aria-selected:text-ink"
            >
              {title}
            </button>
          ))}
        </div>
        <span className="ms-auto">
          <CopyButton text={sample.code} label={`Copy ${sample.title}`} {...(onCopied && { onCopied })}>
            Copy
          </CopyButton>
        </span>
      </div>
      <pre
        role="tabpanel"
        id={`${id}-panel`}
        aria-labelledby={`${id}-tab-${at}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard.
        tabIndex={0}
        className="overflow-x-auto bg-surface p-3 font-mono text-xs leading-[1.125rem]"
      >
        {sample.code}
      </pre>
    </div>
  )
}
