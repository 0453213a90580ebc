import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fromUuid, toUuid } from '@ars/platform/id'
import { asClient } from '@ars/testkit/client'
import { repositoryDir, serverProgram } from '@ars/tools/dev/server'
import type { Stack } from '@ars/tools/dev/stack'
import { type ApiCall, type ApiCaller, apiCaller } from '../lab/client/api-caller.ts'
import { waitFor } from '../lab/condition.ts'
import { type Claim, claim, type Metric, measured } from '../lab/report/outcome.ts'
import { type Organisation, organisationOf, setConcurrency } from '../lab/stack/organisation.ts'
import { openSql, type Sql } from '../lab/stack/sql.ts'
import { startTemporaryStack } from '../lab/stack/temporary-stack.ts'
import { drill } from './drill.ts'
import { readRuns, runClaims, untilAllEnded } from './run-records.ts'
import { gapsIn, watchStreams } from './stream-watch.ts'
import { type Accepted, longestStallMs, orderField, startTraffic } from './traffic.ts'

type Size = {
  /** Runs of past days, as copies of one that ended. */
  past: number
  /** Runs that have ended before the move. */
  ended: number
  /** Long runs that are under way during the move. */
  underWay: number
  streams: number
  /** Runs that clients start each second, before, during and after the move. */
  perSecond: number
  /** Load before and after the move. */
  seconds: number
}

const maxPauseMs = 10_000
const endTimeoutMs = 600_000
const startedAtOnce = 16
const pastDays = 25
const shortRun = { steps: 2, delay_ms: 300 }
const longRun = { steps: 30, delay_ms: 1_000 }
const streamOfRun = { frames: 60, everyMs: 250 }
/** The word of the command that the other cell works for the organisation. */
const arrivedWord = 'open there'

/** Two installations with the same key-encryption keys. */
export const move = drill<Size>({
  name: 'move',
  promise:
    'An organisation moves to another cell while it works: no run is lost or ends twice, and no stream has a gap.',
  sizes: {
    ci: { past: 2_000, ended: 200, underWay: 10, streams: 5, perSecond: 5, seconds: 4 },
    full: { past: 1_000_000, ended: 10_000, underWay: 100, streams: 50, perSecond: 10, seconds: 15 },
  },
  play: async ({ say, keepFiles }, size) => {
    const [from, to] = await Promise.all([startTemporaryStack('drill-cell-a'), startTemporaryStack('drill-cell-b')])
    const closers: (() => Promise<void> | void)[] = []
    let hasFailed = true
    try {
      const env = { ARS_TEST_STACK: 'true', ARS_KEK_FILE: join(from.stack.dir, 'kek') }
      const servers = [from, to].flatMap(({ stack }) => [
        stack.server({ role: 'worker', env }),
        stack.server({ role: 'gateway', env }),
      ])
      await Promise.all(servers.map((server) => server.start()))
      say('two cells are up, each with a gateway and a worker')
      const records = {
        from: openSql(from.stack.postgres.url('ars_system')),
        to: openSql(to.stack.postgres.url('ars_system')),
      }
      closers.push(
        () => records.from.close(),
        () => records.to.close(),
      )
      const organisation = organisationOf('moved', from.seed)
      await setConcurrency(records.from, organisation, 1000)
      const clients = { from: callerOf(from.stack), to: callerOf(to.stack) }
      closers.push(
        () => clients.from.close(),
        () => clients.to.close(),
      )
      const router = routerOf(clients.from)
      const { apiKey } = organisation
      const agentId = organisation.agentId('test-steps')

      const past = await startRuns(router, {
        organisation,
        prefix: 'past',
        count: size.ended,
        input: { steps: 1, delay_ms: 0 },
      })
      say(`${past.length} runs are accepted`)
      await untilAllEnded({ records: records.from, gateways: [router], organisation, timeoutMs: endTimeoutMs })
      await copyIntoPast(from.stack, past[0]?.runId ?? '', size.past)
      say(`${size.past} runs of past days are written`)
      const long = await startRuns(router, { organisation, prefix: 'long', count: size.underWay, input: longRun })
      const traffic = startTraffic({
        gateways: [router],
        apiKey,
        prefix: 'order',
        perSecond: size.perSecond,
        bodyOf: () => ({ agent_id: agentId, input: shortRun }),
      })
      const streams = watchStreams({
        gateway: router,
        apiKey,
        agentId: organisation.agentId('test-stream'),
        streams: size.streams,
        ...streamOfRun,
      })
      await sleep(size.seconds * 1000)
      say('the move begins')
      const begunMs = performance.now()
      const reconnectsBefore = streams.reconnects()
      const report = await moveOrganisation(from.stack, to.stack, {
        organisation,
        env,
        onArrival: () => router.turnTo(clients.to),
      })
      const movedMs = performance.now() - begunMs
      say(`moved, closed for ${report.pause_ms} ms`)
      await sleep(size.seconds * 1000)
      // Streams end later than the last request is sent.
      const endedMs = performance.now()
      await Promise.all([traffic.stop(), streams.stop()])
      await untilAllEnded({ records: records.to, gateways: [clients.to], organisation, timeoutMs: endTimeoutMs })

      const accepted = [...past, ...long, ...traffic.accepted()]
      const runs = await readRuns(records.to)
      const stallMs = longestStallMs(traffic.accepted(), begunMs, endedMs)
      const gone = await clients.from.call({
        method: 'GET',
        path: '/v2/runs?limit=1',
        headers: { authorization: `Bearer ${apiKey}` },
      })
      const seconds = (ms: number): string => (ms / 1000).toFixed(1)
      const metrics: Metric[] = [
        ['runs of past days', size.past],
        ['runs that had ended', past.length],
        ['runs under way at the move', report.runs_under_way],
        ['open streams', size.streams],
        ['rows', report.rows],
        ['seconds of the command', seconds(movedMs)],
        ['seconds in which the organisation was closed', seconds(report.pause_ms)],
        ['longest time without an accept, seconds', seconds(stallMs)],
        ['runs acknowledged', accepted.length],
        ['streams read to their end', streams.ended()],
        ['connections made again by streams', streams.reconnects() - reconnectsBefore],
      ]
      const claims: Claim[] = [
        ...runClaims(accepted, runs),
        { says: '0 runs ended in the cell that the organisation left', violations: await endedOnlyIn(records) },
        { says: '0 gaps in streams', violations: gapsIn(streams.faults()) },
        measured(
          'the organisation is closed for at most 10 s',
          report.pause_ms <= maxPauseMs,
          `${seconds(report.pause_ms)} s`,
        ),
        measured('accepts pause for at most 10 s', stallMs <= maxPauseMs, `${seconds(stallMs)} s`),
        claim('runs were under way', report.runs_under_way >= size.underWay, `${report.runs_under_way}`),
        claim(
          'the cell that it left answers its clients with 503',
          gone.status === 503,
          `${gone.status}: ${gone.text}`,
        ),
      ]
      hasFailed = claims.some(({ violations }) => violations.length > 0)
      return { metrics, claims }
    } finally {
      for (const close of closers.toReversed()) await close()
      await Promise.all([from, to].map(({ dispose }) => dispose({ keepFiles: hasFailed && keepFiles })))
    }
  },
})

const callerOf = ({ ports, tls }: Stack): ApiCaller =>
  apiCaller({ port: ports.gateway[0] ?? 0, ca: readFileSync(tls.certFile) })

/** The address that clients know: a name of the organisation that the operator lets point at its cell. */
const routerOf = (first: ApiCaller): ApiCaller & { turnTo(cell: ApiCaller): void } => {
  let cell = first
  return {
    call: (...given) => cell.call(...given),
    open: (...given) => cell.open(...given),
    close: () => undefined,
    turnTo: (next) => {
      cell = next
    },
  }
}

const startRuns = async (
  gateway: ApiCaller,
  { organisation, prefix, count, input }: { organisation: Organisation; prefix: string; count: number; input: object },
): Promise<Accepted[]> => {
  const accepted: Accepted[] = []
  let next = 0
  const startSome = async (): Promise<void> => {
    while (next < count) {
      const key = `${prefix}-${next++}`
      const sentMs = performance.now()
      const order: ApiCall = {
        method: 'POST',
        path: '/v2/runs',
        headers: {
          authorization: `Bearer ${organisation.apiKey}`,
          'idempotency-key': key,
          prefer: 'respond-async',
        },
        body: { agent_id: organisation.agentId('test-steps'), input, metadata: { [orderField]: key } },
      }
      // A client repeats a request that is refused for a moment.
      const answer = await waitFor(
        'the acceptance of a run',
        async () => {
          const one = await gateway.call(order)
          return one.status !== 503 && one.status !== 429 && one
        },
        { timeoutMs: 60_000, everyMs: 200 },
      )
      if (answer.status >= 300) throw new Error(`${key}: ${answer.status} ${answer.text}`)
      const { id } = JSON.parse(answer.text) as { id: string }
      accepted.push({ key, runId: id, sentMs, atMs: performance.now() })
    }
  }
  await Promise.all(Array.from({ length: startedAtOnce }, startSome))
  return accepted
}

/** As fast as Postgres writes them: a run with its result, steps and events, copied over the last 25 days. */
const copyIntoPast = (stack: Stack, runId: string, count: number): Promise<void> =>
  asClient(stack.postgres.superuserUrl('ars'), async (client) => {
    const keys = { runs: 'id', run_results: 'run_id', run_steps: 'run_id', run_events: 'run_id' }
    for (const [table, key] of Object.entries(keys)) {
      await client.query(
        `select make_partition($1, (now() at time zone 'utc')::date - n, 1) from generate_series(1, $2::integer) n`,
        [table, pastDays],
      )
      const { rows } = await client.query<{ name: string }>(
        `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
        [table],
      )
      // Each has a millisecond for itself, and none of it lies in the present day.
      const at = `date_trunc('day', now(), 'UTC') - interval '1 ms' - n * interval '${pastDays - 1} days' / ${count}`
      // Without the number by which the drill finds what clients ordered.
      const changed: Readonly<Record<string, string>> = { [key]: `uuid_floor(${at})`, metadata: `'{}'` }
      const values = rows.map(({ name }) => changed[name] ?? `t.${name}`)
      await client.query(
        `insert into ${table} (${rows.map(({ name }) => name).join(', ')})
         select ${values.join(', ')} from ${table} t, generate_series(1, ${count}) n where t.${key} = $1`,
        [toUuid(runId)],
      )
    }
  })

type MoveReport = { rows: number; runs_under_way: number; pause_ms: number }

const moveOrganisation = async (
  from: Stack,
  to: Stack,
  { organisation, env, onArrival }: { organisation: Organisation; env: NodeJS.ProcessEnv; onArrival(): void },
): Promise<MoveReport> => {
  const settings = join(from.dir, 'other-cell.env')
  const lines = Object.entries(to.env('all', env))
    .filter(([name, value]) => name.startsWith('ARS_') && value !== undefined)
    .map(([name, value]) => `${name}=${value}\n`)
  writeFileSync(settings, lines.join(''), { mode: 0o600 })
  const args = ['admin', 'move-org', '--org', fromUuid('org', organisation.id), '--to', settings, '--json']
  const child = spawn(process.execPath, [join(repositoryDir, serverProgram), ...args], {
    cwd: repositoryDir,
    env: from.env('all', env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [stdout, stderr] = ['', '']
  child.stdout.on('data', (piece: Buffer) => {
    stdout += piece.toString()
  })
  child.stderr.on('data', (piece: Buffer) => {
    const before = stderr
    stderr += piece.toString()
    if (!before.includes(arrivedWord) && stderr.includes(arrivedWord)) onArrival()
  })
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  if (code !== 0) throw new Error(`move-org ended with ${code}: ${stderr}`)
  return JSON.parse(stdout) as MoveReport
}

/** Runs whose end the cell that was left has, and the other one does not, or has differently. */
const endedOnlyIn = async ({ from, to }: { from: Sql; to: Sql }): Promise<string[]> => {
  const read = (records: Sql) =>
    records.query<{ run_id: string; finished_at: Date }>('select run_id, finished_at from run_results')
  const [left, kept] = [await read(from), await read(to)]
  const ends = new Map(kept.map(({ run_id, finished_at }) => [run_id, finished_at.getTime()]))
  return left
    .filter(({ run_id, finished_at }) => ends.get(run_id) !== finished_at.getTime())
    .map(({ run_id }) => fromUuid('run', run_id))
}
