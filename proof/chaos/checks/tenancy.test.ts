import { expect, test } from 'vitest'
import { leakMarkerOf, leakMarkersIn } from '../leak-marker.ts'
import { operation } from './records.fixture.ts'
import { checkNothingLeaks } from './tenancy.ts'

test('leak markers are found anywhere in a text, each organisation once', () => {
  const text = `{"a":"${leakMarkerOf('a')}","b":["x ${leakMarkerOf('quiet-1')} y ${leakMarkerOf('a')}"]}`
  expect(leakMarkersIn(text)).toEqual(['a', 'quiet-1'])
  expect(leakMarkersIn('{"marker":"none"}')).toEqual([])
})

test('an organisation may receive its own leak marker and no other', () => {
  const heard = (leakMarkers: string[]) => {
    const calm = operation(1, 2)
    return { ...calm, answer: { ...calm.answer!, leakMarkers } }
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
