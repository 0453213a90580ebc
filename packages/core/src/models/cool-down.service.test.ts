import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { coolDownMs, createCoolDown } from './cool-down.service.ts'

const operators = (model: string) => ({ model, payer: null })

test('models that could not answer lately come last, in their order', () => {
  const clock = fakeClock()
  const coolDown = createCoolDown(clock)
  coolDown.begin(operators('a'))
  clock.advance(coolDownMs / 2)
  coolDown.begin(operators('b'))
  expect(coolDown.inOrder(['a', 'b', 'c'].map(operators))).toEqual(['c', 'a', 'b'])
  clock.advance(coolDownMs / 2)
  expect(coolDown.inOrder(['a', 'b', 'c'].map(operators))).toEqual(['a', 'c', 'b'])
})

test('a thousand models are remembered; beyond them the oldest is forgotten (modelsBounds.modelsResting)', () => {
  const coolDown = createCoolDown(fakeClock())
  for (let n = 0; n <= 1_000; n++) coolDown.begin(operators(`model-${n}`))
  expect(coolDown.inOrder(['model-0', 'x'].map(operators))).toEqual(['model-0', 'x'])
  expect(coolDown.inOrder(['model-1', 'x'].map(operators))).toEqual(['x', 'model-1'])
})
