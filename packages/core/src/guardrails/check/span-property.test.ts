import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guardrailsBounds } from '../bounds.ts'
import type { CheckOfRule, Span, SpanCheck } from '../rule.ts'
import { compileSpanCheck } from './compile.service.ts'
import { makeCorpus } from './corpus.fixture.ts'
import { placeBefore } from './held-back.ts'

const rules: readonly CheckOfRule[] = [
  { check: 'pii', params: { kinds: [], countries: ['US', 'DE'] } },
  { check: 'secrets', params: {} },
  { check: 'keywords', params: { words: ['customer', 'the report', 'our plan', 'é'], whole_words: true } },
  { check: 'keywords', params: { words: ['er', 'ever', 'a', 'ab'], whole_words: false } },
  { check: 'regex', params: { pattern: '\\b[a-z]{3}\\s\\w+', case_sensitive: false, max_match_chars: 64 } },
  { check: 'url_allow', params: { hosts: ['example.com', '*.good.org'] } },
]

/** Matches that overlap each other: where the search begins decides which of them count. */
const isOverlapping = (rule: CheckOfRule): boolean =>
  rule.check === 'regex' || (rule.check === 'keywords' && !rule.params.whole_words)

const lines = makeCorpus().map(({ text }) => text)
const addresses = [
  'https://evil.com/x?y=1',
  'https://example.com/a',
  'www.evil.com',
  '//evil.com/x',
  'https://a.good.org',
]
const unseen = ['a', 'b', 'e', 'r', '4', '  ', '\n', '\u0301', '\u0001', '\u200b', '\u{e0061}', '\u0664', '\ud83d']
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...lines) },
  { weight: 1, arbitrary: fc.constantFrom(...addresses) },
  { weight: 1, arbitrary: fc.string({ maxLength: 20 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 10 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...'0123456789 -.()+@:/aAeE_\u200b'), maxLength: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: fc.constantFrom(...unseen), maxLength: 30 }) },
)
const texts = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(' ; '))

test.for(rules)('the pieces that %j finds are in order, within the text, and do not overlap', (rule) => {
  const check = compileSpanCheck(rule)
  fc.assert(
    fc.property(texts, (text) => {
      let last = 0
      const spans = check.find(text)
      expect(spans.length).toBeLessThanOrEqual(guardrailsBounds.spansOfCheck.count)
      for (const { start, end } of spans) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        expect(end).toBeLessThanOrEqual(text.length)
        last = end
      }
      expect(check.find(text)).toEqual(spans)
    }),
  )
})

test.for(rules)('a piece that %j finds across a cut is found with the window before the cut in view', (rule) => {
  const check = compileSpanCheck(rule)
  fc.assert(
    fc.property(texts, fc.nat(), (text, place) => {
      const cut = text.length === 0 ? 0 : place % text.length
      const from = placeBefore(text, cut, check.windowChars)
      const inView = check.find(text.slice(from))
      for (const { start, end } of check.find(text)) {
        if (start >= cut || end <= cut || placeBefore(text, end, check.windowChars) > start) continue
        const isCovered = inView.some((span) => span.start + from <= start && span.end + from >= end)
        const isTouched = inView.some((span) => span.start + from < end && span.end + from > start)
        expect({ text, cut, start, end, found: isOverlapping(rule) ? isTouched : isCovered }).toMatchObject({
          found: true,
        })
      }
    }),
  )
})

test.for(rules.filter((rule) => !isOverlapping(rule)))(
  'a stream that holds back the window of %j shows what the whole text would show',
  (rule) => {
    const check = compileSpanCheck(rule)
    fc.assert(
      fc.property(texts, fc.array(fc.integer({ min: 1, max: 120 }), { minLength: 1, maxLength: 40 }), (text, cuts) => {
        expect(streamed(check, text, cuts)).toBe(hide(text, check.find(text)))
      }),
    )
  },
)

const hide = (text: string, spans: readonly Span[]): string => {
  let shown = ''
  let from = 0
  for (const { start, end, kind } of spans) {
    shown += `${text.slice(from, start)}[${kind}]`
    from = end
  }
  return shown + text.slice(from)
}

/** The rule of streams: text leaves the window in order, and a piece leaves it whole. */
const streamed = (check: SpanCheck, text: string, cuts: readonly number[]): string => {
  const viewChars = 512
  let shown = ''
  let released = 0
  const release = (arrived: number, until: number): void => {
    const from = placeBefore(text, released, viewChars)
    const spans = check
      .find(text.slice(from, arrived))
      .map(({ start, end, kind }) => ({ start: start + from, end: end + from, kind }))
    const edge = Math.max(released, spans.find(({ start, end }) => start < until && end > until)?.start ?? until)
    const inside = spans.filter(({ start, end }) => start >= released && end <= edge)
    shown += hide(
      text.slice(released, edge),
      inside.map(({ start, end, kind }) => ({ start: start - released, end: end - released, kind })),
    )
    released = edge
  }
  for (let arrived = 0, i = 0; arrived < text.length; i++) {
    arrived = Math.min(text.length, arrived + (cuts[i % cuts.length] ?? 1))
    const until = arrived === text.length ? arrived : placeBefore(text.slice(0, arrived), arrived, check.windowChars)
    if (until > released) release(arrived, until)
  }
  return shown
}
