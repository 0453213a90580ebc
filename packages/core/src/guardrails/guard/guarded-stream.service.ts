import { placeBefore } from '../check/held-back.ts'
import type { Span } from '../rule.ts'
import { mergeSpans } from './content.ts'
import type { GuardedStream, GuardVerdict, StreamSinks } from './guard.service.ts'
import { maxWindowChars, type Release } from './release.service.ts'

export type StreamJudge = {
  /** Judges the text in view while the stream goes on. `block` ends it; spans are hidden. */
  look(text: string): Promise<{ blocked: GuardVerdict | null; spans: readonly Span[] }>
  /** Judges the whole text at its end. */
  last(text: string): Promise<GuardVerdict>
  hide(text: string, spans: readonly Span[]): Promise<string>
  /** Runs the function later, as often as deltas are sent. */
  schedule(work: () => void): void
}

export const guardStream = (release: Release, judge: StreamJudge, { emit, onBlocked }: StreamSinks): GuardedStream => {
  let generation = 0
  let whole = ''
  /** How much of `whole` is released. */
  let released = 0
  let verdict: GuardVerdict | null = null
  let working: Promise<void> = Promise.resolve()
  let isScheduled = false
  let isEnded = false

  const block = (found: GuardVerdict): void => {
    if (verdict) return
    verdict = found
    onBlocked(found)
  }

  /** Releases what is certain: everything before `until`, but nothing of a piece that may still grow. */
  const step = async (mine: number, until: number): Promise<void> => {
    if (verdict || mine !== generation || until <= released) return
    const from = placeBefore(whole, released, maxWindowChars)
    const view = whole.slice(from)
    const { blocked, spans } = await judge.look(view)
    if (mine !== generation || verdict) return
    if (blocked) return block(blocked)
    const found = mergeSpans(spans).map((span) => ({ ...span, start: span.start + from, end: span.end + from }))
    const across = found.find(({ start, end }) => start < until && end > until)
    const edge = across ? across.start : until
    if (edge <= released) return
    const inside = found
      .filter(({ end }) => end > released && end <= edge)
      .map((span) => ({ ...span, start: Math.max(0, span.start - released), end: span.end - released }))
    const text = await judge.hide(whole.slice(released, edge), inside)
    if (mine !== generation || verdict) return
    released = edge
    emit(text)
  }

  const edgeNow = (): number => {
    if (release.mode === 'none' || release.mode === 'whole') return 0
    const held = release.mode === 'window' ? release.chars : maxWindowChars
    const waiting = release.mode === 'window' ? held : held + release.chars
    // Fewer characters than units of the text count, so most calls end here.
    if (whole.length - released < waiting) return 0
    return placeBefore(whole, whole.length, held)
  }

  const work = (): void => {
    isScheduled = false
    // The end releases the rest, so a tick that comes later would release it again.
    if (isEnded) return
    const mine = generation
    working = working.then(() => step(mine, edgeNow())).catch(() => undefined)
  }

  return {
    write: (text) => {
      if (verdict) return
      whole += text
      if (release.mode === 'none') {
        released = whole.length
        emit(text)
      }
      if (isScheduled || edgeNow() <= released) return
      isScheduled = true
      judge.schedule(work)
    },
    end: async () => {
      isEnded = true
      await working
      if (verdict) return verdict
      const last = await judge.last(whole)
      if (last.kind === 'block' || last.kind === 'ask') {
        block(last)
        return last
      }
      // The whole text was judged now: the rest is looked at once more only if something in it must be hidden.
      if (last.kind === 'redact') await step(generation, whole.length)
      else if (released < whole.length) emit(whole.slice(released))
      return verdict ?? last
    },
    restart: () => {
      generation++
      whole = ''
      released = 0
      verdict = null
      isEnded = false
    },
  }
}
