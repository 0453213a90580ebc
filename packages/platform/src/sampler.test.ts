import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { createSampler } from './sampler.ts'

test('a sampler admits a bounded number of events of each key, of a bounded number of keys, in each minute', () => {
  const clock = fakeClock()
  const sampler = createSampler({ clock, perMinute: 2, maxKeys: 2 })
  const admit = () => ['a', 'a', 'a', 'b', 'c'].map((key) => sampler.admits(key))
  expect(admit()).toEqual([true, true, false, true, false])
  clock.advance(59_999)
  expect(sampler.admits('a')).toBe(false)
  clock.advance(1)
  expect(admit()).toEqual([true, true, false, true, false])
})
