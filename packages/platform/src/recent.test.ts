import { expect, test } from 'vitest'
import { rememberRecent } from './recent.ts'

const recorded = (max: number) => {
  const made: string[] = []
  const get = rememberRecent(max, (key) => {
    made.push(key)
    return key === 'nothing' ? undefined : key.toUpperCase()
  })
  return { made, get }
}

test('a result is made once, also if it is undefined', () => {
  const { made, get } = recorded(2)
  expect([get('a'), get('a'), get('nothing'), get('nothing')]).toEqual(['A', 'A', undefined, undefined])
  expect(made).toEqual(['a', 'nothing'])
})

test('beyond the bound, the result that was asked for longest ago is forgotten', () => {
  const { made, get } = recorded(2)
  for (const key of ['a', 'b', 'a', 'c', 'a', 'b']) get(key)
  expect(made).toEqual(['a', 'b', 'c', 'b'])
})

test('a key whose result cannot be made is not remembered', () => {
  let tries = 0
  const get = rememberRecent(1, () => {
    if (++tries === 1) throw new Error('not now')
    return tries
  })
  expect(() => get('a')).toThrow('not now')
  expect(get('a')).toBe(2)
})

test('the sizes of all remembered results have a bound in sum', () => {
  const made: string[] = []
  const get = rememberRecent({ max: 10, maxSize: 5 }, (key) => {
    made.push(key)
    return key.length
  })
  for (const key of ['aa', 'bbb', 'aa', 'c', 'bbb', 'far too long', 'aa']) get(key)
  expect(made).toEqual(['aa', 'bbb', 'c', 'bbb', 'far too long', 'aa'])
})
