import { expect, test } from 'vitest'
import { canariesIn, canaryOf } from '../canary.ts'
import { operation } from './records.fixture.ts'
import { checkNothingLeaks } from './tenancy.ts'

test('a canary is found wherever it stands, and each organisation once', () => {
  const text = `{"a":"${canaryOf('a')}","b":["x ${canaryOf('quiet-1')} y ${canaryOf('a')}"]}`
  expect(canariesIn(text)).toEqual(['a', 'quiet-1'])
  expect(canariesIn('{"canary":"none"}')).toEqual([])
})

test('one’s own canary may come back, another’s may not', () => {
  const heard = (canaries: string[]) => {
    const calm = operation(1, 2)
    return { ...calm, answer: { ...calm.answer!, canaries } }
  }
  expect(checkNothingLeaks([heard(['a'])])).toEqual([])
  expect(checkNothingLeaks([heard(['a', 'b'])])).toEqual(['a was told of b in the answer to create k-1'])
})

test('another’s run must not be found, whatever the answer holds', () => {
  const foreign = { what: 'foreign', expects: [404] } as const
  expect(checkNothingLeaks([{ ...operation(1, 2, { status: 404 }), ...foreign }])).toEqual([])
  expect(checkNothingLeaks([{ ...operation(1, 2), ...foreign }])).toEqual([
    'a was answered 200 for another’s run (k-1)',
  ])
})
