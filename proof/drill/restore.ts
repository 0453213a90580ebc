import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { toUuid } from '@ars/platform/id'
import { settlePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import { repositoryDir, serverProgram } from '@ars/tools/dev/server'
import type { Stack } from '@ars/tools/dev/stack'
import { type ApiCaller, apiCaller } from '../lab/client/api-caller.ts'
import { waitFor } from '../lab/condition.ts'
import { seededRandom } from '../lab/random.ts'
import { claim, measured, type Outcome } from '../lab/report/outcome.ts'
import { organisationOf, setConcurrency } from '../lab/stack/organisation.ts'
import { openSql, type Sql } from '../lab/stack/sql.ts'
import { startTemporaryStack } from '../lab/stack/temporary-stack.ts'
import { type DrillStage, drill } from './drill.ts'

const maxLostMs = 5_000
const maxInsistMs = 60_000
const maxDownMs = 15 * 60_000
const commandTimeoutMs = 30 * 60_000
const postgresSettings = { wal_level: 'replica', max_wal_senders: 4, max_wal_size: '4GB', wal_keep_size: '256MB' }

type Size = {
  /** Accepted before the disaster, at least. */
  runs: number
  steps: number
  stepMs: number
  /** Of data that no run needs. */
  fillerMb: number
  /** Runs that may be in flight at once. */
  concurrentRuns: number
}

/** A run whose acceptance a client has seen. */
type Accepted = { id: string; key: string; atMs: number }

/** The machine with Postgres, the engine and Redis is lost at a random moment; the back-up machine survives. */
export const restoreDrill = drill<Size>({
  name: 'restore',
  promise:
    'After the loss of Postgres, engine and Redis, a restore beside empty ones loses at most 5 s, and every run that is left ends once.',
  sizes: {
    ci: { runs: 60, steps: 8, stepMs: 1_000, fillerMb: 20, concurrentRuns: 60 },
    full: { runs: 1_000, steps: 12, stepMs: 5_000, fillerMb: 10_000, concurrentRuns: 500 },
  },
  play: async (stage, size) => {
    const temporary = await startTemporaryStack('drill-restore', { postgresSettings })
    const closers: (() => Promise<void> | void)[] = []
    let isHeld = false
    try {
      const outcome = await playOn(stage, size, { ...temporary, closers })
      isHeld = outcome.claims.every(({ violations }) => violations.length === 0)
      return outcome
    } finally {
      for (const close of closers.toReversed()) await close()
      await temporary.dispose({ keepFiles: stage.keepFiles && !isHeld })
    }
  },
})

type Scene = Pick<Awaited<ReturnType<typeof startTemporaryStack>>, 'stack' | 'seed' | 'agentId'> & {
  closers: (() => Promise<void> | void)[]
}

const playOn = async ({ say }: DrillStage, size: Size, scene: Scene): Promise<Outcome> => {
  const { stack, seed, agentId, closers } = scene
  const folder = join(stack.dir, 'backups')
  const backupEnv = { ARS_DATABASE_BACKUP_URL: stack.postgres.superuserUrl('ars') }
  const env = { ARS_TEST_STACK: 'true' }
  const servers = [stack.server({ role: 'worker', env }), stack.server({ role: 'gateway', env })]
  const records = openSql(stack.postgres.superuserUrl('ars'))
  closers.push(() => records.close())
  await setConcurrency(records, organisationOf('a', seed), size.concurrentRuns)
  say(`writing ${size.fillerMb} MB`)
  await fill(records, size.fillerMb)

  const follower = await startFollower(stack, folder, { records, env: backupEnv })
  closers.push(() => stopFollower(follower))
  await Promise.all(servers.map((server) => server.start()))
  say('base back-up')
  const backedUpMs = await timed(() => arsServer(stack, ['backup', folder], backupEnv))

  const ca = readFileSync(stack.tls.certFile)
  const caller = apiCaller({ port: stack.ports.gateway[0] ?? 0, ca })
  closers.push(() => caller.close())
  const authorization = { authorization: `Bearer ${seed.api_key}` }
  const order = (key: string) => ({
    method: 'POST' as const,
    path: '/v2/runs',
    headers: { ...authorization, 'idempotency-key': key, prefer: 'respond-async' },
    body: { agent_id: agentId('test-steps'), input: { steps: size.steps, delay_ms: size.stepMs } },
  })

  say(`starting ${size.runs} runs`)
  // Runs are accepted until the disaster, which comes at a random moment after the first ones.
  const load = startLoad(caller, order, 4 * size.runs)
  const random = seededRandom(`${process.pid}`)
  await waitFor('the runs before the disaster', () => load.accepted.length >= size.runs, { timeoutMs: 300_000 })
  await sleep(random.whole(0, 1_000))

  say(`disaster after ${load.accepted.length} accepted runs`)
  const disasterMs = Date.now()
  await Promise.all([stack.postgres.kill(), ...servers.map((server) => server.kill())])
  await load.stop()
  const acceptedBefore = load.accepted.filter(({ atMs }) => atMs <= disasterMs)
  await Promise.all([stack.redis.kill(), stack.restate.wipe()])
  await stopFollower(follower)
  const { dataDir } = settlePostgresHome(join(stack.dir, 'postgres'), stack.ports.postgres)
  for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true })

  say('restore')
  const restoredMs = await timed(() => arsServer(stack, ['restore', folder, '--into', dataDir]))
  await stack.start()
  await waitFor('the end of the recovery', () => isPrimary(records), { timeoutMs: maxDownMs })
  const underWay = await countHeads(records)
  await Promise.all(servers.map((server) => server.start()))
  const answer = await insist(caller, order('after-the-disaster'))
  const downMs = Date.now() - disasterMs

  const kept = await findKept(records, acceptedBefore)
  const lost = acceptedBefore.filter(({ id }) => !kept.has(id))
  const lostMs = Math.max(0, ...lost.map(({ atMs }) => disasterMs - atMs))
  const replayed = await replay(caller, order, acceptedBefore.filter(({ id }) => kept.has(id)).slice(0, 20))
  say(`${kept.size} of ${acceptedBefore.length} runs are left; waiting for their ends`)
  const unended = await waitForEnds(records, [...kept])
  const twice = await endedTwice(records)

  return {
    metrics: [
      ['accepted before the disaster', acceptedBefore.length],
      ['under way in the restored database', underWay],
      ['lost', lost.length],
      ['age of the oldest lost run, ms', lostMs],
      ['base back-up, s', seconds(backedUpMs)],
      ['restore command, s', seconds(restoredMs)],
      ['from the disaster to the first accepted run, s', seconds(downMs)],
    ],
    claims: [
      claim('runs were under way', underWay > 0, 'none'),
      measured('at most 5 s of accepted runs are lost', lostMs <= maxLostMs, `${lostMs} ms`),
      claim('a run is accepted after the restore', answer.status === 202, `${answer.status}: ${answer.text}`),
      measured('runs are accepted within 15 minutes', downMs <= maxDownMs, `${seconds(downMs)} s`),
      { says: 'an idempotency key from before finds its run', violations: replayed },
      { says: 'every run that is left completes', violations: unended },
      { says: 'no run ends twice', violations: twice },
    ],
  }
}

const arsServer = async (stack: Stack, args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<void> => {
  await promisify(execFile)(process.execPath, [join(repositoryDir, serverProgram), ...args], {
    env: stack.env('all', env),
    timeout: commandTimeoutMs,
    maxBuffer: 64 * 1024 * 1024,
  })
}

const startFollower = async (
  stack: Stack,
  folder: string,
  { records, env }: { records: Sql; env: NodeJS.ProcessEnv },
): Promise<ChildProcess> => {
  const child = spawn(process.execPath, [join(repositoryDir, serverProgram), 'backup', folder, '--follow'], {
    env: stack.env('all', env),
    stdio: 'ignore',
  })
  await waitFor(
    'the reception of WAL',
    async () => (await records.query('select pid from pg_stat_replication')).length > 0,
    { timeoutMs: 120_000 },
  )
  return child
}

const stopFollower = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGTERM')
  await waitFor('the end of the follower', () => child.exitCode !== null || child.signalCode !== null, {
    timeoutMs: 30_000,
  })
}

/** In a separate table, incompressible, so that its bytes are bytes of the back-up. */
/** Random bytes, which no compression shortens. The copies of a megabyte lie farther apart than gzip looks back. */
const fill = async (records: Sql, megabytes: number): Promise<void> => {
  await records.query('create table drill_filler (bytes bytea)')
  await records.query('alter table drill_filler alter column bytes set storage external')
  const chunkMb = 10
  for (let written = 0; written < megabytes; written += chunkMb)
    await records.query('insert into drill_filler select $2::bytea from generate_series(1, $1::integer)', [
      Math.min(chunkMb, megabytes - written),
      randomBytes(1024 * 1024),
    ])
}

const startLoad = (caller: ApiCaller, order: (key: string) => Parameters<ApiCaller['call']>[0], maxRuns: number) => {
  const accepted: Accepted[] = []
  let next = 0
  let isStopped = false
  const lane = async (): Promise<void> => {
    while (!isStopped && next < maxRuns) {
      const key = `drill-${next++}`
      const answer = await caller.call(order(key), { timeoutMs: 20_000 }).catch(() => null)
      if (answer?.status === 202)
        accepted.push({ id: (JSON.parse(answer.text) as { id: string }).id, key, atMs: Date.now() })
    }
  }
  const lanes = Array.from({ length: 4 }, lane)
  return {
    accepted,
    stop: async () => {
      isStopped = true
      await Promise.all(lanes)
    },
  }
}

const isPrimary = async (records: Sql): Promise<boolean> => {
  const [row] = await records.query<{ recovering: boolean }>('select pg_is_in_recovery() as recovering')
  return row?.recovering === false
}

const countHeads = async (records: Sql): Promise<number> => {
  const [row] = await records.query<{ heads: number }>('select count(*)::integer as heads from run_heads')
  return row?.heads ?? 0
}

const findKept = async (records: Sql, accepted: readonly Accepted[]): Promise<Set<string>> => {
  const ids = new Map(accepted.map(({ id }) => [toUuid(id), id]))
  const rows = await records.query<{ id: string }>('select id from runs where id = any($1)', [[...ids.keys()]])
  return new Set(rows.map(({ id }) => ids.get(id) as string))
}

/** A process that has just started sheds requests with 503, and a client sends them again. */
const insist = (caller: ApiCaller, call: Parameters<ApiCaller['call']>[0]) =>
  waitFor(
    'an answer that is not 503',
    async () => {
      const answer = await caller.call(call)
      return answer.status !== 503 && answer
    },
    { timeoutMs: maxInsistMs, everyMs: 500 },
  )

const replay = async (
  caller: ApiCaller,
  order: (key: string) => Parameters<ApiCaller['call']>[0],
  kept: readonly Accepted[],
): Promise<string[]> => {
  const found = await Promise.all(kept.map(async ({ id, key }) => ({ id, answer: await insist(caller, order(key)) })))
  return found
    .filter(({ id, answer }) => (JSON.parse(answer.text) as { id?: string }).id !== id)
    .map(({ id, answer }) => `${id}: ${answer.status} ${answer.text.slice(0, 200)}`)
}

/** Answers those that do not end, or that end otherwise than completed. */
const waitForEnds = async (records: Sql, ids: readonly string[]): Promise<string[]> => {
  const uuids = ids.map((id) => toUuid(id))
  const read = () =>
    records.query<{ run_id: string; status: string }>('select run_id, status from run_results where run_id = any($1)', [
      uuids,
    ])
  const ended = await waitFor(
    'the ends of the runs',
    async () => {
      const rows = await read()
      return rows.length >= uuids.length && rows
    },
    { timeoutMs: 600_000, everyMs: 1_000 },
  ).catch(read)
  const completed = new Set(ended.filter(({ status }) => status === 'completed').map(({ run_id }) => run_id))
  return uuids
    .filter((id) => !completed.has(id))
    .map((id) => `${id}: ${ended.find(({ run_id }) => run_id === id)?.status ?? 'not ended'}`)
}

const endedTwice = async (records: Sql): Promise<string[]> => {
  const rows = await records.query<{ run_id: string; ends: number }>(
    `select run_id, count(*)::integer as ends from run_events
      where type in ('run.completed', 'run.failed', 'run.cancelled') group by run_id having count(*) > 1`,
  )
  return rows.map(({ run_id, ends }) => `${run_id}: ${ends} ends`)
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}

const seconds = (ms: number): number => Math.round(ms / 100) / 10
