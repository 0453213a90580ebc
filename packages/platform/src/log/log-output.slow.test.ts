import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { expect, test } from 'vitest'
import { platformBounds } from '../bounds.ts'

/** Lines of about 1,000 bytes that are kept. */
const kept = platformBounds.logBuffered.bytes / 1000

/** Writes more lines than are kept, and says at its end how the output was. */
const program = (lines: number): string => `
  import { setImmediate } from 'node:timers/promises'
  import { createLog } from '${new URL('log.ts', import.meta.url).href}'
  const log = createLog({ level: 'info' })
  process.on('uncaughtException', (error) => { process.stderr.write('uncaught ' + error.message); process.exit(1) })
  for (let n = 0; n < ${lines}; n++) {
    log.info('a line', { text: 'x'.repeat(1000) })
    if (n % 100 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await setImmediate()
  process.stderr.write(JSON.stringify(log.output()))
`

const play = async (output: number | 'pipe', lines: number, act: (child: ChildProcess) => void = () => undefined) => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', program(lines)], {
    stdio: ['ignore', output, 'pipe'],
  })
  let said = ''
  child.stderr?.on('data', (data: Buffer) => (said += data.toString()))
  act(child)
  const [code] = (await once(child, 'close')) as [number]
  return { code, said }
}

test('a log on a full disk ends no process, and what exceeds the bound is dropped and counted', async () => {
  const { code, said } = await play(openSync('/dev/full', 'w'), 2 * kept)
  expect(said).not.toContain('uncaught')
  expect(code).toBe(0)
  const { isWritten, lostLines } = JSON.parse(said) as { isWritten: boolean; lostLines: number }
  expect(isWritten).toBe(false)
  expect(lostLines).toBeGreaterThan(kept / 2)
})

test('a log that nobody reads any more ends no process, and its lines are counted', async () => {
  const { code, said } = await play('pipe', 2 * kept, ({ stdout }) => stdout?.destroy())
  expect(said).not.toContain('uncaught')
  expect(code).toBe(0)
  const { isWritten, lostLines } = JSON.parse(said) as { isWritten: boolean; lostLines: number }
  expect(isWritten).toBe(false)
  expect(lostLines).toBeGreaterThan(kept / 2)
})
