import { expect, test } from 'vitest'
import { ciStages, scenarios } from './registry.ts'

const played = ciStages.flat().flatMap((play) => play.waves.flat())

test('CI plays every scenario, each once', () => {
  const names = (list: typeof scenarios) => list.map(({ name }) => name).toSorted()
  expect(names(played)).toEqual(names(scenarios))
})
