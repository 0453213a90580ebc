import { expect, test } from 'vitest'
import { parseBatchItems } from './batch-items.ts'

test('items are a JSON list or JSON Lines', () => {
  const items = [{ query: 'a' }, { query: 'b' }]
  expect(parseBatchItems('x.json', JSON.stringify(items, null, 2))).toEqual(items)
  expect(parseBatchItems('x.jsonl', '{"query":"a"}\r\n\n{"query":"b"}\n')).toEqual(items)
})

test('a mistake is named with its line or item', () => {
  expect(() => parseBatchItems('x.jsonl', '{"query":"a"}\n{query}\n')).toThrow(/^x\.jsonl:2 is not JSON/)
  expect(() => parseBatchItems('x.jsonl', '{"query":"a"}\n\n3\n')).toThrow('x.jsonl:3 must be a JSON object')
  expect(() => parseBatchItems('x.json', '[{}, "b"]')).toThrow('x.json: item 1 must be a JSON object')
  expect(() => parseBatchItems('x.json', '[')).toThrow(/^x\.json is not JSON/)
  expect(() => parseBatchItems('x.json', ' \n')).toThrow('x.json has no items')
})
