import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { systemClock } from '@ars/platform/clock'
import { moveDatabaseClock } from '@ars/testkit/clock'
import { bareEnv } from '@ars/testkit/slow/program'
import { expect, test } from 'vitest'
import { mailPostWorld } from '../../test/mail-post-world.ts'

const world = mailPostWorld()
const { serverOf, postTo, plant, rowOf } = world

test('a sender that is killed between sending and noting it sends the mail again with the same Message-ID', async () => {
  let child: ChildProcess | undefined
  const server = await serverOf({ onAccepted: () => child?.kill('SIGKILL') })
  const id = await plant()
  child = spawn(
    process.execPath,
    [new URL('./mail-post.fixture.ts', import.meta.url).pathname, world.database.systemUrl, String(server.port)],
    { env: bareEnv(), stdio: 'ignore' },
  )
  const [, signal] = await once(child, 'exit')
  child = undefined
  expect(signal).toBe('SIGKILL')
  expect(await rowOf(id)).toMatchObject({ outcome: null, attempts: 1 })
  const post = postTo(server)
  // The lease protects the mail from a second sender while the first may still be at work.
  expect(await post.sendDue()).toBe(0)
  await moveDatabaseClock(world.database.ownerUrl, 31_000)
  expect(await post.sendDue()).toBe(1)
  expect(server.mails().map(({ headers }) => headers['message-id'])).toEqual([
    [`<${id}@example.org>`],
    [`<${id}@example.org>`],
  ])
  expect(await rowOf(id)).toMatchObject({ outcome: 'sent', attempts: 2 })
})

test('a server that says nothing holds up the sender for no longer than the limit, and the mails wait (platformBounds.smtpSend)', async () => {
  const server = await serverOf()
  server.answer('hang')
  const impatient = () => postTo(server, undefined, 1_000)
  const ids = await Promise.all(Array.from({ length: 11 }, () => plant()))
  const started = systemClock.monotonicMs()
  expect(await impatient().sendDue()).toBe(11)
  expect(systemClock.monotonicMs() - started).toBeLessThan(10_000)
  const rows = await Promise.all(ids.map(rowOf))
  expect(rows.filter((row) => row?.outcome === null && row.link !== null)).toHaveLength(ids.length)
  server.answer(undefined)
  await moveDatabaseClock(world.database.ownerUrl, 11_000)
  expect(await impatient().sendDue()).toBe(11)
  expect(new Set(server.mails().map(({ headers }) => headers['message-id']?.[0])).size).toBe(ids.length)
})
