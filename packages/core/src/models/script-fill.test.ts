import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFill, type ScriptFacts } from './script-fill.ts'

const facts: ScriptFacts = {
  input: {
    text: 'Hello',
    labels: [{ name: 'bug' }, { name: 'praise' }],
    count: 3,
    emoji: 'a😀b',
    braces: '{{input.text}}',
  },
  decisions: [{ decision: 'approved', comment: 'fine', payload: null }],
}

const fillOf = (mostChars = 1000) => createFill(facts, mostChars)

test('a placeholder in a text is filled with the input’s value', () => {
  expect(fillOf().text('{{input.text}}, {{input.labels.1.name}}: {{input.count}}')).toBe('Hello, praise: 3')
  expect(fillOf().text('It was {{decisions.0.decision}}: {{decisions.0.comment}}')).toBe('It was approved: fine')
})

test('a missing value is empty in a text and null as a value', () => {
  expect(fillOf().text('[{{input.nothing}}{{input.text.deeper}}{{input.constructor}}]')).toBe('[]')
  expect(fillOf().value({ at: '{{input.nothing}}' })).toEqual({ at: null })
})

test('a text can be truncated between characters and never inside one', () => {
  expect(fillOf().text('{{input.text|2}}')).toBe('He')
  expect(fillOf().text('{{input.emoji|2}}')).toBe('a')
  expect(fillOf().value('{{input.text|99}}')).toBe('Hello')
})

test('a placeholder alone yields the value, and inside other text its string form', () => {
  expect(fillOf().value(['{{input.count}}', '{{input.labels}}', 'n={{input.labels.0}}'])).toEqual([
    3,
    [{ name: 'bug' }, { name: 'praise' }],
    'n={"name":"bug"}',
  ])
})

test('a list in the input becomes a list in the answer, item by item', () => {
  const template = { fields: { $each: 'input.labels', $as: { name: '{{item.name}}', value: null } } }
  expect(fillOf().value(template)).toEqual({
    fields: [
      { name: 'bug', value: null },
      { name: 'praise', value: null },
    ],
  })
  expect(fillOf().value({ $each: 'input.text', $as: 1 })).toEqual([])
})

test('inserted values are not expanded again, and other braces are plain text', () => {
  expect(fillOf().text('{{input.braces}} {{ input.text }} {{process.env}} {name}')).toBe(
    '{{input.text}} {{ input.text }} {{process.env}} {name}',
  )
})

test('the length of an answer is bounded for any script and input', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 300 }), fc.constantFrom('text', 'value', 'each'), (times, how) => {
      const fill = createFill({ input: { long: 'x'.repeat(100), list: Array(100).fill('y') }, decisions: [] }, 1000)
      const made = {
        text: () => fill.text('{{input.long}}'.repeat(times)),
        value: () => fill.value(Array(times).fill('{{input.long}}')),
        each: () => fill.value(Array(times).fill({ $each: 'input.list', $as: '{{item}}' })),
      }[how]()
      expect(JSON.stringify(made).length).toBeLessThan(1000 + 200 + 5 * times)
      if (times > 10) expect(fill.isTooLong()).toBe(true)
    }),
  )
})

// One run stopped a worker for minutes: 95,000 placeholders that each wrote an input of 1 MB and used a character of it.
test('a value is written once, however often a script names it', () => {
  let writes = 0
  const list = {
    toJSON: () => {
      writes++
      return ['a', 'b']
    },
  }
  const { text, value } = createFill({ input: { list }, decisions: [] }, 1_000)
  expect(text('{{input.list|2}}'.repeat(50))).toBe('["'.repeat(50))
  expect(value({ all: '{{input.list}}', first: '{{input.list|3}}' })).toMatchObject({ first: '["a' })
  expect(writes).toBe(1)
})
