import { expect, onTestFinished, test } from 'vitest'
import { createLog } from './log/log.ts'
import { startSweeps } from './periodic.ts'

const log = createLog({ level: 'silent' })

test('the first rounds of the sweeps take turns, and every sweep gets its turn (platformBounds.firstSweeps)', async () => {
  const atOnce = { now: 0, most: 0 }
  const done = new Set<number>()
  const sweeps = startSweeps(
    Array.from({ length: 20 }, (_, number) => ({
      name: `sweep-${number}`,
      everyMs: 3_600_000,
      run: async () => {
        atOnce.most = Math.max(atOnce.most, ++atOnce.now)
        await new Promise(setImmediate)
        atOnce.now--
        done.add(number)
      },
    })),
    log,
  )
  onTestFinished(() => sweeps.close())
  await expect.poll(() => done.size).toBe(20)
  expect(atOnce.most).toBe(3)
})
