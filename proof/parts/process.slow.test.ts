import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reapStale, waitUntil } from '@ars/tools/dev/parts/pid-file'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { findProcess } from '@ars/tools/dev/parts/process-table'
import { redis } from '@ars/tools/dev/parts/redis'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

// Redis stands for every part here: it starts fastest.
const dir = mkdtempSync(join(tmpdir(), 'ars-process-'))
const pidFile = join(dir, 'redis.pid')
let block: Awaited<ReturnType<typeof reserveFreeBlock>>
let part: ReturnType<typeof redis>
beforeAll(async () => {
  block = await reserveFreeBlock()
  part = redis({ dir, port: block.base })
})
afterEach(() => part.stop())
afterAll(async () => {
  rmSync(dir, { recursive: true })
  await block.release()
})

test('a part starts again after a kill and after a stop, each time as a new process', async () => {
  await part.start()
  const first = part.pid()
  await part.kill()
  expect(part.pid()).toBeUndefined()
  await part.start()
  expect(part.pid()).not.toBe(first)
  await part.stop()
  await part.start()
})

test('a part that runs is not started twice, not even by another program', async () => {
  await part.start()
  await expect(part.start()).rejects.toThrow('redis already runs in')
})

test('a frozen part can be stopped', async () => {
  await part.start()
  part.freeze()
  await part.stop()
  expect(part.pid()).toBeUndefined()
})

test('a taken port is named, with what to do', async () => {
  const other = createServer().listen(block.base, '127.0.0.1')
  await expect(part.start()).rejects.toThrow(/^port \d+, which redis needs, is taken by another program .*--port-base/)
  await new Promise((resolve) => other.close(resolve))
})

test('a part that cannot start says so with the end of its log', async () => {
  const broken = redis({ dir: join(dir, 'missing"quote'), port: block.base })
  await expect(broken.start()).rejects.toThrow(/^redis ended before it answered.*FATAL CONFIG/s)
})

test('an unexpected end is reported, an ordered one is not', async () => {
  const reports: string[] = []
  part.onUnexpectedEnd((words) => reports.push(words))
  await part.start()
  await part.stop()
  await part.start()
  process.kill(part.pid() ?? 0, 'SIGKILL')
  await waitUntil(() => reports.length > 0, 5000)
  expect(reports).toEqual([expect.stringContaining('redis ended unexpectedly (SIGKILL)')])
})

test('when the program that started a part is killed, the part ends with it', async () => {
  const script = `
    import { redis } from ${JSON.stringify(new URL('../../tools/dev/parts/redis.ts', import.meta.url).href)}
    const part = redis(${JSON.stringify({ dir, port: block.base })})
    await part.start()
    console.log(part.pid())
    setInterval(() => undefined, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module-typescript', '--eval', script])
  const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (bytes) => resolve(Number(bytes))))
  expect(findProcess(pid)?.command).toContain('redis-server')
  parent.kill('SIGKILL')
  expect(await waitUntil(() => !findProcess(pid), 5000)).toBe(true)
  await part.start() // The pid file of the killed program is in nobody's way.
})

test('a process that an earlier stack left behind is ended, and only that', async () => {
  const left = spawn('sleep', ['1000'])
  const live = findProcess(left.pid ?? 0)
  const record = { pid: left.pid, startedAt: live?.startedAt, owner: { pid: 1, startedAt: 'long ago' } }
  writeFileSync(pidFile, JSON.stringify({ ...record, command: 'something else' }))
  await reapStale(pidFile, 0)
  expect(left.exitCode ?? left.signalCode).toBeNull()
  writeFileSync(pidFile, JSON.stringify({ ...record, command: 'sleep 1000' }))
  await reapStale(pidFile, 0)
  expect(await waitUntil(() => left.signalCode === 'SIGKILL', 5000)).toBe(true)
})
