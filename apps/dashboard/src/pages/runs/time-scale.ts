export type Span = { startMs: number; endMs: number }

export type TimeScale = {
  /** Where a moment stands, from 0 to 1. Moments outside the whole stand at its ends. */
  at(ms: number): number
  /** The moment at a place from 0 to 1. */
  timeAt(place: number): number
  /** The shortened stretches, with the part of the width that they have. */
  breaks: readonly (Span & { from: number; to: number })[]
}

const breakShare = 0.06
/** With many waits, shortened stretches together take no more than this. */
const maxBreaksShare = 0.6
const minBreakMs = 2_000

/**
 * A scale on which waiting takes little room: each stretch of `idle` that is longer than 2 s and than a tenth of the busy
 * time is drawn with a fixed width, whatever it lasted. A run that waited a night for a person stays readable.
 */
export const timeScale = (whole: Span, idle: readonly Span[]): TimeScale => {
  const totalMs = Math.max(1, whole.endMs - whole.startMs)
  const clean = apart(whole, idle)
  const busyMs = totalMs - lengthOf(clean)
  const cut = clean.filter((span) => lengthOf([span]) > minBreakMs && lengthOf([span]) > busyMs / 10)
  const shownMs = totalMs - lengthOf(cut)
  // With nothing but waits, they share the whole width.
  const share = shownMs > 0 ? Math.min(breakShare, maxBreaksShare / Math.max(1, cut.length)) : 1 / cut.length
  const perMs = shownMs > 0 ? (1 - cut.length * share) / shownMs : 0
  const knots: [ms: number, place: number][] = [[whole.startMs, 0]]
  const go = (toMs: number, isCut: boolean) => {
    const [fromMs, place] = knots.at(-1) ?? [whole.startMs, 0]
    knots.push([toMs, isCut ? place + share : place + (toMs - fromMs) * perMs])
  }
  for (const { startMs, endMs } of cut) {
    go(startMs, false)
    go(endMs, true)
  }
  knots.push([whole.startMs + totalMs, 1])
  const at = (ms: number) => between(knots, ms)
  const turned = knots.map(([ms, place]): [number, number] => [place, ms])
  return {
    at,
    timeAt: (place) => between(turned, place),
    breaks: cut.map((span) => ({ ...span, from: at(span.startMs), to: at(span.endMs) })),
  }
}

const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0)

/** Spans in order, inside the whole, without overlaps. */
const apart = (whole: Span, spans: readonly Span[]): Span[] => {
  let lastMs = whole.startMs
  const kept: Span[] = []
  for (const span of spans.toSorted((one, other) => one.startMs - other.startMs)) {
    const startMs = Math.max(lastMs, span.startMs)
    const endMs = Math.min(whole.endMs, span.endMs)
    if (endMs <= startMs) continue
    kept.push({ startMs, endMs })
    lastMs = endMs
  }
  return kept
}

/** The place of a value on a line through the knots. */
const between = (knots: readonly (readonly [number, number])[], value: number): number => {
  const next = knots.findIndex(([from]) => from > value)
  if (next === 0) return knots[0]?.[1] ?? 0
  if (next === -1) return knots.at(-1)?.[1] ?? 1
  const [from, low] = knots[next - 1] ?? [0, 0]
  const [to, high] = knots[next] ?? [1, 1]
  return low + ((value - from) / (to - from)) * (high - low)
}
