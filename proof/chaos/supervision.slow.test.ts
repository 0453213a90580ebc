import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { managedProcess } from '@ars/tools/dev/parts/process'
import { afterEach, expect, test } from 'vitest'
import { waitFor } from '../lab/condition.ts'
import { seededRandom } from '../lab/random.ts'
import { supervise } from './supervision.ts'

const dir = mkdtempSync(join(tmpdir(), 'ars-supervision-'))
const part = managedProcess({
  name: 'sleeper',
  dir,
  command: 'sleep',
  args: ['600'],
  isReady: () => Promise.resolve(true),
})
afterEach(async () => {
  await part.stop()
  rmSync(dir, { recursive: true, force: true })
})

test('a process that is killed or exits is restarted, and every outage is recorded', async () => {
  await part.start()
  const supervision = supervise([part], seededRandom('1'))
  const pids = [part.pid()]

  const lost: string[] = []
  await supervision.kill('sleeper', { lose: async () => void lost.push('disk') })
  expect(supervision.isUp('sleeper')).toBe(false)
  await expect(supervision.kill('sleeper')).rejects.toThrow('is not running')
  await supervision.settle()
  pids.push(part.pid())

  process.kill(part.pid() ?? 0, 'SIGKILL')
  await waitFor('the end to be noticed', () => !supervision.isUp('sleeper'), { timeoutMs: 10_000, everyMs: 10 })
  await supervision.settle()
  pids.push(part.pid())

  const bringBack = await supervision.takeDown('sleeper', 'stop')
  expect(part.pid()).toBeUndefined()
  expect(supervision.isUp('sleeper')).toBe(false)
  await bringBack()
  pids.push(part.pid())

  expect(new Set(pids).size).toBe(4)
  expect(lost).toEqual(['disk'])
  expect(supervision.outages.map(({ cause }) => cause)).toEqual(['killed', 'exited', 'stopped'])
  supervision.close()
  for (const { fromMs, untilMs } of supervision.outages) expect(untilMs).toBeGreaterThan(fromMs)
})
