import { expect, test } from 'vitest'
import { parseBatchItems } from './batch-items.ts'

test('items are a JSON list or JSON Lines', () => {
  const inputs = [{ query: 'a' }, { query: 'b' }]
  const items = inputs.map((input) => ({ input }))
  expect(parseBatchItems('x.json', JSON.stringify(inputs, null, 2))).toEqual(items)
  expect(parseBatchItems('x.jsonl', '{"query":"a"}\r\n\n{"query":"b"}\n')).toEqual(items)
})

test('an object with input and custom_id is an item, and any other object is an input', () => {
  const file = '{"input":{"a":1},"custom_id":"x"}\n{"input":{"a":2}}\n{"input":"b"}\n{"input":{},"c":3}'
  expect(parseBatchItems('x.jsonl', file)).toEqual([
    { input: { a: 1 }, custom_id: 'x' },
    { input: { a: 2 } },
    { input: { input: 'b' } },
    { input: { input: {}, c: 3 } },
  ])
})

test('a mistake is named with its line or item', () => {
  expect(() => parseBatchItems('x.jsonl', '{"query":"a"}\n{query}\n')).toThrow(/^x\.jsonl:2 is not JSON/)
  expect(() => parseBatchItems('x.jsonl', '{"query":"a"}\n\n3\n')).toThrow('x.jsonl:3 must be a JSON object')
  expect(() => parseBatchItems('x.json', '[{}, "b"]')).toThrow('x.json: item 1 must be a JSON object')
  expect(() => parseBatchItems('x.json', '[')).toThrow(/^x\.json is not JSON/)
  expect(() => parseBatchItems('x.json', ' \n')).toThrow('x.json has no items')
})
