import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { coolDownMs, createCoolDown } from './cool-down.service.ts'

test('models that could not answer lately come last, in their order', () => {
  const clock = fakeClock()
  const coolDown = createCoolDown(clock)
  coolDown.begin('a')
  clock.advance(coolDownMs / 2)
  coolDown.begin('b')
  expect(coolDown.inOrder(['a', 'b', 'c'])).toEqual(['c', 'a', 'b'])
  clock.advance(coolDownMs / 2)
  expect(coolDown.inOrder(['a', 'b', 'c'])).toEqual(['a', 'c', 'b'])
})

test('a thousand models are remembered; beyond them the oldest is forgotten', () => {
  const coolDown = createCoolDown(fakeClock())
  for (let n = 0; n <= 1_000; n++) coolDown.begin(`model-${n}`)
  expect(coolDown.inOrder(['model-0', 'x'])).toEqual(['model-0', 'x'])
  expect(coolDown.inOrder(['model-1', 'x'])).toEqual(['x', 'model-1'])
})
