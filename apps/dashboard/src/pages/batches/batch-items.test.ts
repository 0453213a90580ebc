import { expect, test } from 'vitest'
import { parseItems } from './batch-items.ts'

test('a JSON array and JSON Lines give the same items', () => {
  const items = [{ query: 'a' }, { query: 'é' }]
  const wanted = items.map((input) => ({ input }))
  const bytes = new TextEncoder().encode(JSON.stringify(wanted)).length
  expect(parseItems(JSON.stringify(items, null, 2))).toEqual({ kind: 'items', items: wanted, bytes })
  expect(parseItems(`${JSON.stringify(items[0])}\r\n\n${JSON.stringify(items[1])}\n`)).toEqual({
    kind: 'items',
    items: wanted,
    bytes,
  })
})

test('an object with input and custom_id is an item, and any other object is an input', () => {
  const parsed = parseItems('{"input":{"a":1},"custom_id":"x"}\n{"input":{"a":2}}\n{"input":"b"}\n{"input":{},"c":3}')
  expect(parsed).toMatchObject({
    items: [
      { input: { a: 1 }, custom_id: 'x' },
      { input: { a: 2 } },
      { input: { input: 'b' } },
      { input: { input: {}, c: 3 } },
    ],
  })
})

test.each([
  ['', { kind: 'empty' }],
  [' \n ', { kind: 'empty' }],
  ['[]', { kind: 'fault', message: 'The list has no items.' }],
  ['[{}, 1]', { kind: 'fault', message: 'Item 2 is not a JSON object.' }],
  ['[{}', { kind: 'fault', message: 'This is not a JSON array. Check its brackets, quotes and commas.' }],
  ['{}\n\n{', { kind: 'fault', message: 'Line 3 is not JSON. Write one JSON object per line, or a JSON array.' }],
  ['{}\nnull', { kind: 'fault', message: 'Line 2 is not a JSON object.' }],
  ['{}\n[1]', { kind: 'fault', message: 'Line 2 is not a JSON object.' }],
])('%j', (text, wanted) => {
  expect(parseItems(text)).toEqual(wanted)
})

test('more items or bytes than a batch can have are refused before they are sent', () => {
  const bounds = { items: 3, bytes: 60 }
  expect(parseItems('{}\n'.repeat(3), bounds).kind).toBe('items')
  expect(parseItems('{}\n'.repeat(4), bounds)).toEqual({
    kind: 'fault',
    message: 'A batch has at most 3 items. These are 4.',
  })
  expect(parseItems(JSON.stringify({ text: 'x'.repeat(bounds.bytes) }), bounds)).toEqual({
    kind: 'fault',
    message: 'A batch has at most 32 MiB. Split the items into several batches.',
  })
})
