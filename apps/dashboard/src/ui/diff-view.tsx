import { useMemo, useState } from 'react'
import { Button } from './button.tsx'
import { type DiffRow, diffRows } from './diff-lines.ts'

const looks = {
  same: { sign: ' ', look: '', word: '' },
  added: { sign: '+', look: 'bg-good-soft text-good', word: 'Added: ' },
  removed: { sign: '−', look: 'bg-bad-soft text-bad', word: 'Removed: ' },
  folded: { sign: '…', look: 'text-ink-3', word: '' },
} as const satisfies Record<DiffRow['kind'], object>

const maxRows = 1_000

/** Untrusted text: shown as text, isolated from the direction of its surroundings. */
export const DiffView = ({ label, old, next }: { label: string; old: string; next: string }) => {
  const rows = useMemo(() => diffRows(old, next), [old, next])
  const [limit, setLimit] = useState(maxRows)
  return (
    <section
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard.
      tabIndex={0}
      className="max-h-96 overflow-auto rounded-md border border-line bg-surface py-1 font-mono text-xs"
    >
      {rows.slice(0, limit).map(({ kind, text }, n) => {
        const { sign, look, word } = looks[kind]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no identity but their place.
          <div key={n} className={`flex px-2 ${look}`}>
            <span aria-hidden className="w-4 shrink-0 select-none">
              {sign}
            </span>
            <span dir="ltr" className="min-w-0 whitespace-pre-wrap break-words [unicode-bidi:isolate]">
              {word !== '' && <span className="sr-only">{word}</span>}
              {text}
            </span>
          </div>
        )
      })}
      {rows.length > limit && (
        <Button isSmall className="m-2" onClick={() => setLimit(limit + maxRows)}>
          {rows.length - limit} more lines
        </Button>
      )}
    </section>
  )
}
