import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createGuardrails, type Rule } from './guardrail.service.ts'

const noSecrets: Rule = {
  policy: 'secrets',
  check: 'word',
  stage: 'output',
  windowChars: 6,
  judge: (content) => (String(content).includes('secret') ? 'it says the word' : null),
}

const stream = (rules: readonly Rule[], pieces: readonly string[]) => {
  let out = ''
  const guarded = createGuardrails(rules).openStream((text) => {
    out += text
  })
  const verdicts = pieces.map((piece) => guarded.write(piece))
  verdicts.push(guarded.end())
  return { out, verdict: verdicts.find(({ pass }) => !pass) ?? { pass: true } }
}

test('without policies a stream passes chunk by chunk, unchanged and without delay', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (pieces) => {
      const emitted: string[] = []
      const guarded = createGuardrails().openStream((text) => emitted.push(text))
      for (const piece of pieces) guarded.write(piece)
      expect(emitted.join('')).toBe(pieces.join(''))
    }),
  )
})

test('a forbidden word never appears on a stream, however it is split into chunks', () => {
  const text = 'this is a secret that nobody may read'
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: text.length - 1 }), { maxLength: 12 }), (cuts) => {
      const edges = [0, ...[...new Set(cuts)].sort((a, b) => a - b), text.length]
      const pieces = edges.slice(1).map((edge, at) => text.slice(edges[at], edge))
      const { out, verdict } = stream([noSecrets], pieces)
      expect(verdict).toMatchObject({ pass: false, policy: 'secrets', reason: 'it says the word' })
      expect(out.includes('secret') || out.includes('that')).toBe(false)
    }),
  )
})

test('allowed text is emitted completely, including text held back by the window', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: fc.constantFrom('a', 'b', ' ') })), (pieces) => {
      expect(stream([noSecrets], pieces)).toEqual({ out: pieces.join(''), verdict: { pass: true } })
    }),
  )
})

test('a restarted stream discards the withdrawn text', () => {
  let out = ''
  const guarded = createGuardrails([noSecrets]).openStream((text) => {
    out += text
  })
  guarded.write('sec')
  guarded.restart()
  guarded.write('ret')
  expect(guarded.end()).toEqual({ pass: true })
  expect(out).toBe('ret')
})
