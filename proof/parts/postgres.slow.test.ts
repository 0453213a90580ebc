import { chmodSync, existsSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { type PostgresPart, postgres } from '@ars/tools/dev/parts/postgres'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const root = mkdtempSync(join(tmpdir(), 'ars-postgres-'))
let block: Awaited<ReturnType<typeof reserveFreeBlock>>
let part: PostgresPart
beforeAll(async () => {
  chmodSync(root, 0o755)
  block = await reserveFreeBlock()
  part = postgres({ dir: join(root, 'open'), port: block.base })
})
afterEach(() => part.stop())
afterAll(async () => {
  removePostgresHome(join(root, 'open'))
  rmSync(root, { recursive: true })
  await block.release()
})

// A server process at work does not notice the death of the first one before its statement ends.
const sixBusySeconds = `do $$
  declare done_at timestamptz := clock_timestamp() + interval '6 s';
  begin while clock_timestamp() < done_at loop end loop; end $$`

const connect = async (url: string): Promise<pg.Client> => {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined) // The tests kill the server under it.
  await client.connect()
  return client
}

test('committed data survives a SIGKILL and a restart, although statements were still running', async () => {
  await part.start()
  const owner = await connect(part.url('ars_owner'))
  await owner.query('create table kept (n int)')
  await owner.query('insert into kept values (42)')
  const busy = await connect(part.superuserUrl('ars'))
  busy.query(sixBusySeconds).catch(() => undefined)
  await owner.query('select 1')

  await part.kill()
  await part.start()

  const after = await connect(part.url('ars_owner'))
  expect((await after.query('select n from kept')).rows).toEqual([{ n: 42 }])
  await after.end()
})

test('it starts although processes of a killed server are still at work on the same data', async () => {
  await part.start()
  const busy = await connect(part.superuserUrl('ars'))
  busy.query(sixBusySeconds).catch(() => undefined)
  await connect(part.superuserUrl('ars')) // When this one is in, the statement before it has begun.
  process.kill(part.pid() ?? 0, 'SIGKILL') // The first process alone, as the kernel does when memory runs out.
  await expect.poll(() => part.pid()).toBeUndefined()

  await part.start()

  const after = await connect(part.url('ars_app'))
  expect((await after.query('select current_user as name')).rows).toEqual([{ name: 'ars_app' }])
  await after.end()
})

test('over TCP nobody enters without the password', async () => {
  await part.start()
  await expect(connect(part.url('ars_app').replace(part.password, 'wrong'))).rejects.toThrow('password authentication')
  await expect(connect(`postgresql://postgres@127.0.0.1:${block.base}/postgres`)).rejects.toThrow()
})

test.runIf(process.getuid?.() === 0)(
  'data that the user postgres could not reach lies elsewhere, and it says so',
  async () => {
    const dir = join(root, 'closed')
    chmodSync(root, 0o700)
    const hidden = postgres({ dir, port: block.base })
    try {
      await hidden.start()
      expect(hidden.note()).toContain('the user postgres may not enter')
      expect(existsSync(join(readlinkSync(join(dir, 'home')), 'data', 'PG_VERSION'))).toBe(true)
    } finally {
      await hidden.stop()
      const home = readlinkSync(join(dir, 'home'))
      removePostgresHome(dir)
      chmodSync(root, 0o755)
      expect(existsSync(home)).toBe(false)
    }
  },
)
