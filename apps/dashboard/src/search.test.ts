import { expect, test } from 'vitest'
import { defined, integer, oneOf, ownPath, searchOf, someOf, text } from './search.ts'

test('a parameter that is missing or wrong is dropped', () => {
  const read = searchOf({ status: someOf(['a', 'b']), kind: oneOf(['x']), n: integer, q: text })
  expect(read({ status: 'b,c,a', kind: 'y', n: '-1', q: '', other: 1 })).toStrictEqual({
    status: 'a,b',
    kind: undefined,
    n: undefined,
    q: undefined,
  })
  expect(read({})).toStrictEqual({})
  expect(read({ status: 'z', kind: 'x', n: 7, q: 12 })).toEqual({ kind: 'x', n: 7, q: '12' })
  // A person may write `start=true`, which the router reads as a boolean.
  expect(searchOf({ start: oneOf(['true']) })({ start: true })).toEqual({ start: 'true' })
})

test('after the login nobody is sent to another origin', () => {
  for (const evil of ['//evil.example', 'https://evil.example', '/\\evil.example', 'javascript:alert(1)', '', 3]) {
    expect(ownPath(evil)).toBeUndefined()
  }
  expect(ownPath('/runs?status=failed')).toBe('/runs?status=failed')
})

test('undefined values leave the address', () => {
  expect(defined({ a: 1, b: undefined })).toEqual({ a: 1 })
})
