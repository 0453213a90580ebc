import { expect, onTestFinished, test, vi } from 'vitest'
import { createLog } from './log/log.ts'
import { startSweeps } from './periodic.ts'

const log = createLog({ level: 'silent' })

test('first rounds that take long do not hold up the other sweeps (platformBounds.firstSweepRound)', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const begun: string[] = []
  const ends: (() => void)[] = []
  const sweep = (name: string) => ({
    name,
    everyMs: 3_600_000,
    run: () => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    },
  })
  const sweeps = startSweeps(['a', 'b', 'c', 'd'].map(sweep), log)
  expect(begun).toEqual(['a', 'b', 'c'])
  await vi.advanceTimersByTimeAsync(5_001)
  expect(begun).toEqual(['a', 'b', 'c', 'd'])
  const closed = sweeps.close()
  for (const end of ends) end()
  await closed
})
