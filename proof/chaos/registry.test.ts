import { expect, test } from 'vitest'
import { wavesOf } from './play.ts'
import { ciStages, scenarios } from './registry.ts'

const played = ciStages.flat().flatMap((play) => wavesOf(play).flat())

test('CI plays every scenario, each once', () => {
  const names = (list: typeof scenarios) => list.map(({ name }) => name).toSorted()
  expect(names(played)).toEqual(names(scenarios))
})

test('a stage has at most one play that waits for the others', () => {
  for (const stage of ciStages) expect(stage.filter(({ quietWaves }) => quietWaves).length).toBeLessThanOrEqual(1)
})
