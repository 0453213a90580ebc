import { readFileSync } from 'node:fs'
import { Config } from '@ars/core/config'
import { expect, test } from 'vitest'

test('the shipped engine configuration executes at least as many runs per partition as there are slots', () => {
  const settings = readFileSync(new URL('../../../deploy/restate.toml', import.meta.url), 'utf8')
  const limit = Number(/^concurrent-invocations-limit = (\d+)/m.exec(settings)?.[1])
  const { cellSlots } = Config.pick({ cellSlots: true }).parse({})
  expect(limit).toBeGreaterThanOrEqual(cellSlots)
})
