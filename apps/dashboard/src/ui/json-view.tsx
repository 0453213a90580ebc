import { useMemo, useState } from 'react'
import { Button } from './button.tsx'
import { CopyButton } from './copy-button.tsx'
import { bytes } from './format.ts'

const maxTextChars = 2_000
const maxEntries = 100
const maxBytes = 2_000_000
const maxNodes = 20_000
const shownChars = 65_536

/**
 * JSON as a tree of text, never markup: nothing that a run says can become part of the page. A value that is too large for
 * a tree is shown in part, with a download.
 */
export const JsonView = ({ value, name = 'value' }: { value: unknown; name?: string }) => {
  const large = useMemo(() => (isLarge(value) ? printed(value) : null), [value])
  if (large !== null) return <LargeText text={large} name={name} />
  return (
    <div dir="ltr" className="min-w-0 break-words font-mono text-xs [unicode-bidi:isolate]">
      <Node value={value} depth={0} path="" />
    </div>
  )
}

/** Without indentation: thousands of levels would need far more spaces than text. */
const printed = (value: unknown): string => {
  try {
    return JSON.stringify(value)
  } catch {
    return 'This value has too many levels to be shown.'
  }
}

/** Counts no further than the limit. */
const isLarge = (value: unknown): boolean => {
  let nodes = 0
  let size = 0
  const waiting: { value: unknown; depth: number }[] = [{ value, depth: 0 }]
  while (waiting.length > 0) {
    const next = waiting.pop()
    if (!next) break
    nodes += 1
    if (typeof next.value === 'string') size += next.value.length
    if (nodes > maxNodes || size > maxBytes || next.depth > 200) return true
    if (typeof next.value === 'object' && next.value !== null) {
      for (const each of Object.values(next.value)) waiting.push({ value: each, depth: next.depth + 1 })
    }
  }
  return false
}

/** The first part of a text that is too large to draw, and a download of the whole. */
export const LargeText = ({ text, name }: { text: string; name: string }) => {
  const save = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
    const link = document.createElement('a')
    link.href = url
    link.download = `${name}.json`
    link.click()
    URL.revokeObjectURL(url)
  }
  return (
    <div className="min-w-0">
      <p className="mb-2 flex items-center gap-2 text-ink-2">
        {bytes(text.length)}: the first {bytes(shownChars)} are shown.
        <Button isSmall onClick={save}>
          Download
        </Button>
      </p>
      <pre
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling block must be reachable by keyboard.
        tabIndex={0}
        className="max-h-96 overflow-auto whitespace-pre-wrap break-all font-mono text-xs [unicode-bidi:isolate]"
      >
        {text.slice(0, shownChars)}
      </pre>
    </div>
  )
}

const Node = ({ value, depth, path }: { value: unknown; depth: number; path: string }) => {
  if (value === null) return <span className="text-ink-3">null</span>
  if (typeof value === 'string') return <LongText text={value} />
  if (typeof value !== 'object') return <span className="text-run">{String(value)}</span>
  return <Container value={value as Record<string, unknown>} depth={depth} path={path} />
}

const LongText = ({ text }: { text: string }) => {
  const [shownTo, setShownTo] = useState(maxTextChars)
  const shown = text.slice(0, shownTo)
  return (
    <span className="whitespace-pre-wrap break-words text-good [unicode-bidi:isolate]">
      "{shown}"
      {shown.length < text.length && (
        <button type="button" onClick={() => setShownTo(shownTo + shownChars)} className="ms-1 text-accent underline">
          {text.length - shown.length} more characters
        </button>
      )}
    </span>
  )
}

const Container = ({ value, depth, path }: { value: Record<string, unknown>; depth: number; path: string }) => {
  const [isOpen, setIsOpen] = useState(depth < 2)
  const [limit, setLimit] = useState(maxEntries)
  const isList = Array.isArray(value)
  const entries = Object.entries(value)
  const [left, right] = isList ? ['[', ']'] : ['{', '}']
  if (entries.length === 0) return <span>{left + right}</span>
  const pathOf = (key: string): string => (isList ? `${path}[${key}]` : `${path}${path === '' ? '' : '.'}${key}`)
  return (
    <span className="group/node">
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setIsOpen(!isOpen)}
        className="text-ink-3 hover:text-ink"
      >
        {isOpen ? '▾' : '▸'} {left}
        {!isOpen && ` ${entries.length} ${right}`}
      </button>
      <span className="invisible inline-flex group-hover/node:visible group-focus-within/node:visible">
        <CopyButton text={JSON.stringify(value, null, 2)} label="Copy value" />
        {path !== '' && <CopyButton text={path} label="Copy path" />}
      </span>
      {isOpen && (
        <>
          <ul className="ms-1 border-line border-s ps-3">
            {entries.slice(0, limit).map(([key, each]) => (
              <li key={key}>
                {!isList && <span className="text-accent">{key}: </span>}
                <Node value={each} depth={depth + 1} path={pathOf(key)} />
              </li>
            ))}
            {entries.length > limit && (
              <li>
                <button type="button" className="text-accent underline" onClick={() => setLimit(limit + maxEntries)}>
                  {entries.length - limit} more
                </button>
              </li>
            )}
          </ul>
          <span className="text-ink-3">{right}</span>
        </>
      )}
    </span>
  )
}
