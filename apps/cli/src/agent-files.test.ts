import { expect, test } from 'vitest'
import { changedFields } from './agent-files.ts'

test('a file is compared with the agent, without the way in which a change is released', () => {
  const agent = { name: 'a', config: { model: 'x', tools: [] } }
  expect(changedFields({ name: 'a', rollout: { strategy: 'canary', traffic_percent: 20 } }, agent)).toEqual([])
  expect(changedFields({ name: 'a', config: { model: 'y' } }, agent)).toEqual(['config'])
  expect(changedFields({ config: { model: 'x' } }, agent)).toEqual([])
})
