import { expect, test } from 'vitest'
import { otherUuid, soundRecords, uuid } from './checks/records.fixture.ts'
import { differences, narrow } from './records.ts'

test('a scenario sees its own runs and nothing of the others', () => {
  const sound = soundRecords()
  const both = {
    ...sound,
    runs: [
      { ...sound.runs[0]!, key: 'R1/7' },
      { ...sound.runs[0]!, id: otherUuid, key: 'R10/7' },
      { ...sound.runs[0]!, id: otherUuid, key: null },
    ],
    results: [...sound.results, { ...sound.results[0]!, run_id: otherUuid }],
  }
  const own = narrow(both, 'R1/')
  expect(own.runs.map(({ id }) => id)).toEqual([uuid])
  expect(own.results.map(({ run_id }) => run_id)).toEqual([uuid])
  expect(own.events).toHaveLength(sound.events.length)
  expect(narrow(both, 'R10/').events).toEqual([])
})

test('a row that is gone, new or changed is reported', () => {
  expect(differences(['a', 'b'], ['b', 'a'])).toEqual([])
  expect(differences(['a', 'b'], ['a', 'c'])).toEqual(['gone: b', 'new: c'])
})
