import { maxSpans, type Span } from '../rule.ts'
import type { RemoteVerdict } from './remote.ts'

/** The answer of Presidio's `/analyze`: a list of found entities. Its positions count code points, ours UTF-16 units. */
export const verdictOfEntities = (answer: unknown, text: string, minScore: number): RemoteVerdict => {
  if (!Array.isArray(answer)) return { kind: 'error', message: 'The analyzer did not answer with a list' }
  const found: Entity[] = []
  for (const each of answer) {
    const entity = entityOf(each)
    if (!entity) return { kind: 'error', message: 'The analyzer answered with an entity that cannot be read' }
    if (entity.score >= minScore) found.push(entity)
  }
  if (found.length === 0) return { kind: 'pass' }
  if (found.length > maxSpans) return { kind: 'error', message: `The analyzer found more than ${maxSpans} entities` }
  const unitOf = unitsOf(text)
  const spans = found.map(({ start, end, kind }) => ({ start: unitOf(start), end: unitOf(end), kind }))
  if (spans.some(({ start, end }) => Number.isNaN(start) || Number.isNaN(end) || start >= end))
    return { kind: 'error', message: 'The analyzer answered with a place outside the text' }
  const kinds = [...new Set(found.map(({ kind }) => kind))].sort()
  return { kind: 'violation', reason: `It contains ${kinds.join(', ')}`.slice(0, 200), spans: withoutOverlap(spans) }
}

type Entity = { start: number; end: number; score: number; kind: string }

const entityOf = (given: unknown): Entity | null => {
  if (typeof given !== 'object' || given === null) return null
  const { entity_type, start, end, score } = given as Record<string, unknown>
  const isPlace = Number.isInteger(start) && Number.isInteger(end)
  if (typeof entity_type !== 'string' || !isPlace || typeof score !== 'number') return null
  const kind =
    ourKinds[entity_type] ??
    entity_type
      .toUpperCase()
      .replace(/[^A-Z0-9_]/g, '_')
      .slice(0, 40)
  return { start: start as number, end: end as number, score, kind: kind === '' ? 'PII' : kind }
}

/** Entities that the check `pii` finds too have its names. */
const ourKinds: Readonly<Record<string, string>> = {
  EMAIL_ADDRESS: 'EMAIL',
  PHONE_NUMBER: 'PHONE',
  CREDIT_CARD: 'CARD',
  IBAN_CODE: 'IBAN',
  IP_ADDRESS: 'IP',
}

/** From code points to UTF-16 units. NaN: outside the text. */
const unitsOf = (text: string): ((point: number) => number) => {
  if (!/[\ud800-\udbff]/.test(text)) return (point) => (point >= 0 && point <= text.length ? point : Number.NaN)
  const units: number[] = []
  for (let unit = 0; unit < text.length; unit += (text.codePointAt(unit) ?? 0) > 0xffff ? 2 : 1) units.push(unit)
  units.push(text.length)
  return (point) => units[point] ?? Number.NaN
}

/** Overlapping pieces become one: each character of both is hidden. */
const withoutOverlap = (spans: readonly Span[]): Span[] => {
  const merged: Span[] = []
  for (const span of spans.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1)
    if (last && span.start < last.end) merged[merged.length - 1] = { ...last, end: Math.max(last.end, span.end) }
    else merged.push(span)
  }
  return merged
}
