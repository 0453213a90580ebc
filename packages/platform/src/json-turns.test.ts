import { expect, test } from 'vitest'
import { type JsonTurns, parseStrictJson, parseStrictJsonInTurns } from './json.ts'

const limits = { depth: 5, keys: 20 }

const parse = async (text: string, turns: Partial<JsonTurns> = {}) => {
  let pauses = 0
  const counts: number[] = []
  const pause = async () => void pauses++
  const asked = { ...limits, chars: 20, memberChars: 40, pause, ...turns }
  const parsed = await parseStrictJsonInTurns(Buffer.from(text), asked, (values) => counts.push(values))
  return { parsed, pauses, counts }
}

test('a list of an object is parsed in turns, to the same value', async () => {
  const text = JSON.stringify({ a: 'x', items: Array.from({ length: 30 }, (_, n) => ({ n, list: [n, null] })), b: [] })
  const { parsed, pauses, counts } = await parse(text)
  let values = 0
  expect(parsed).toEqual(
    parseStrictJson(Buffer.from(text), limits, (all) => {
      values = all
    }),
  )
  expect(pauses).toBeGreaterThan(10)
  expect(counts).toHaveLength(pauses + 1)
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(values)
})

test.for([
  ['[]', 'must be an object', null],
  ['"x"', 'must be an object', null],
  ['', 'is empty', null],
  ['{"a":1,"a":2}', 'must not be sent twice', 'a'],
  ['{"items":[{"b":1,"b":2}]}', 'must not be sent twice', 'items.0.b'],
  [
    '{"items":[{},{"n":1e400}]}',
    'is the number 1e400, which cannot be stored exactly; send it as a string',
    'items.1.n',
  ],
  ['{"items":[[[[[[1]]]]]]}', 'is nested more than 5 levels deep', null],
  ['{"__proto__":[]}', 'is not allowed as a key', '__proto__'],
  ['{"items":[1,]}', 'is not valid JSON: expected a value at line 1, column 13', null],
  ['{"items":[1]} x', 'is not valid JSON: unexpected text after the end of the document at line 1, column 15', null],
] as const)('what other bodies may not hold is refused: %s', async ([text, message, path]) => {
  await expect(parse(text)).rejects.toMatchObject({ message, path })
})

test.for([
  [`{"items":[{},{"text":"${'x'.repeat(60)}"}]}`, 'items.1'],
  [`{"items":[{},[${'1,'.repeat(60)}1]]}`, 'items.1'],
  [`{"text":"${'x'.repeat(60)}"}`, 'text'],
] as const)('a member beyond its size is refused', async ([text, path]) => {
  await expect(parse(text)).rejects.toMatchObject({ kind: 'size', path: expect.stringContaining(path) })
})

test('the reader can stop the work after any turn', async () => {
  const text = JSON.stringify({ items: Array.from({ length: 100 }, () => ({})) })
  let turns = 0
  const stop = () => {
    if (++turns === 3) throw new Error('enough')
  }
  const asked = { ...limits, chars: 10, memberChars: 10, pause: () => Promise.resolve() }
  await expect(parseStrictJsonInTurns(Buffer.from(text), asked, stop)).rejects.toThrow('enough')
})
