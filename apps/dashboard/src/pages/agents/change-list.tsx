import { Diff } from '../../ui/diff.tsx'
import type { Change } from './agent-changes.ts'

const maxInlineChars = 80

/** Changed fields by path: short values in one line, long ones line by line. */
export const ChangeList = ({ label, changes }: { label: string; changes: readonly Change[] }) => (
  <ul aria-label={label} className="flex flex-col gap-3">
    {changes.map(({ path, old, new: next }) => (
      <li key={path}>
        <h3 className="mb-1 font-medium font-mono text-xs">{path}</h3>
        {isShort(old) && isShort(next) ? (
          <p className="flex flex-wrap items-baseline gap-2 font-mono text-xs">
            <Value value={old} look="bg-bad-soft text-bad" word="Before" />
            <span aria-hidden>→</span>
            <Value value={next} look="bg-good-soft text-good" word="After" />
          </p>
        ) : (
          <Diff label={`Change of ${path}`} old={old} next={next} />
        )}
      </li>
    ))}
  </ul>
)

const Value = ({ value, look, word }: { value: unknown; look: string; word: string }) => (
  <span className={`rounded px-1 [unicode-bidi:isolate] ${look}`}>
    <span className="sr-only">{word}: </span>
    {value === null || value === undefined ? 'not set' : textOf(value)}
  </span>
)

const isShort = (value: unknown): boolean => {
  if (value === null || value === undefined) return true
  const text = textOf(value)
  return text.length <= maxInlineChars && !text.includes('\n')
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))
