import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Span } from '../rule.ts'
import { redactText } from './content.ts'
import type { GuardVerdict } from './guard.service.ts'
import { guardStream, type StreamJudge } from './guarded-stream.service.ts'
import type { Release } from './release.service.ts'

const finding = {
  policyId: '00000000-0000-7000-8000-000000000000',
  policyVersion: 1,
  rule: 'word',
  check: 'keywords',
  stage: 'output',
  action: 'block',
  enforced: true,
  reason: 'It says the word',
  count: 1,
  isUnmade: false,
} as const

const spansOf = (text: string): Span[] =>
  [...text.matchAll(/secret/g)].map(({ index }) => ({ start: index, end: index + 6, kind: 'WORD' }))

/** A rule for the word `secret` that blocks, hides or asks. The ticks come when the test wants. */
const open = (release: Release, action: 'block' | 'redact' | 'ask') => {
  let out = ''
  const ticks: (() => void)[] = []
  const blocked: GuardVerdict[] = []
  const hidden = (text: string, spans: readonly Span[]): string =>
    redactText(
      text,
      spans.map((span) => ({ ...span, token: '[WORD_1]' })),
    )
  const verdictOf = (text: string): GuardVerdict => {
    const spans = spansOf(text)
    if (spans.length === 0) return { kind: 'pass', findings: [] }
    if (action === 'redact') return { kind: 'redact', content: hidden(text, spans), findings: [finding] }
    return { kind: action, finding, findings: [finding] }
  }
  const judge: StreamJudge = {
    look: async (text) => {
      const verdict = verdictOf(text)
      return { blocked: verdict.kind === 'block' ? verdict : null, spans: action === 'redact' ? spansOf(text) : [] }
    },
    last: async (text) => verdictOf(text),
    hide: async (text, spans) => hidden(text, spans),
    schedule: (work) => void ticks.push(work),
  }
  const emit = (text: string): void => {
    out += text
  }
  const stream = guardStream(release, judge, { emit, onBlocked: (verdict) => blocked.push(verdict) })
  return { stream, tick: () => ticks.splice(0).map((work) => work()), out: () => out, blocked }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

const releases: Release[] = [{ mode: 'window', chars: 8 }, { mode: 'chunk', chars: 10 }, { mode: 'whole' }]
const sentence = 'this is a secret that nobody may read, a secret'

const cutsOf = (text: string) =>
  fc.array(fc.tuple(fc.integer({ min: 1, max: text.length - 1 }), fc.boolean()), { maxLength: 12 }).map((cuts) => {
    const edges = [...new Map(cuts)].sort(([one], [other]) => one - other)
    let from = 0
    const pieces = edges.map(([edge, ticks]) => {
      const piece = { text: text.slice(from, edge), ticks }
      from = edge
      return piece
    })
    return [...pieces, { text: text.slice(from), ticks: true }]
  })

test.each(releases)('a forbidden word never appears, however the stream is cut: $mode', async (release) => {
  await fc.assert(
    fc.asyncProperty(cutsOf(sentence), async (pieces) => {
      const { stream, tick, out, blocked } = open(release, 'block')
      for (const { text, ticks } of pieces) {
        stream.write(text)
        if (ticks) tick()
        await settled()
      }
      expect(await stream.end()).toMatchObject({ kind: 'block' })
      expect(blocked).toHaveLength(1)
      expect('this is a '.startsWith(out())).toBe(true)
    }),
  )
})

test.each(releases)('hidden words are tokens, and everything else is released: $mode', async (release) => {
  await fc.assert(
    fc.asyncProperty(cutsOf(sentence), async (pieces) => {
      const { stream, tick, out } = open(release, 'redact')
      for (const { text, ticks } of pieces) {
        stream.write(text)
        if (ticks) tick()
        await settled()
      }
      await stream.end()
      expect(out()).toBe(sentence.replaceAll('secret', '[WORD_1]'))
    }),
  )
})

test('text that waits for a person is not released', async () => {
  const { stream, tick, out } = open({ mode: 'whole' }, 'ask')
  stream.write(sentence)
  tick()
  await settled()
  expect(await stream.end()).toMatchObject({ kind: 'ask' })
  expect(out()).toBe('')
})

test.each(releases)('a tick that comes after the end releases nothing again: $mode', async (release) => {
  const allowed = 'nobody minds this sentence, which is longer than all that is held back'
  for (const action of ['block', 'redact'] as const) {
    const { stream, tick, out } = open(release, action)
    stream.write(allowed)
    expect(await stream.end()).toMatchObject({ kind: 'pass' })
    tick()
    await settled()
    expect(out()).toBe(allowed)
  }
})

test('a restarted stream forgets what was withdrawn', async () => {
  const { stream, tick, out } = open({ mode: 'window', chars: 8 }, 'block')
  stream.write('sec')
  tick()
  stream.restart()
  stream.write('ret')
  expect(await stream.end()).toMatchObject({ kind: 'pass' })
  expect(out()).toBe('ret')
})

test('rules that hold nothing back delay nothing', async () => {
  const { stream, out } = open({ mode: 'none' }, 'redact')
  stream.write('no ')
  stream.write('delay')
  expect(out()).toBe('no delay')
  expect(await stream.end()).toMatchObject({ kind: 'pass' })
  expect(out()).toBe('no delay')
})
