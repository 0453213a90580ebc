import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import {
  countsOf,
  percentileMs,
  playOpenLoop,
  type Shot,
  settledAfterMs,
  statusOf,
} from '../../lab/client/open-loop.ts'
import { waitFor } from '../../lab/condition.ts'
import { shootOnce } from '../journaled-shot.ts'
import { allCompleted, type Ended, orderOfSteps, uuidsOf } from '../load.ts'
import { type Attempt, isFine } from '../run-client.ts'
import { measured, type Stage, scenario } from '../scenario.ts'
import { type Followed, followRun } from '../stream-client.ts'
import { judgeStreams, metricsOf } from './r23-streams.ts'

type Size = {
  /** How long it is watched before, how long the table is locked, and how long it is watched afterwards. */
  beforeSeconds: number
  seconds: number
  afterSeconds: number
  perSecond: number
  /** More than the pool has connections. */
  streams: number
  /** Runs under way when the table is locked. */
  runs: number
}

const gateway = 0
const maxAnswerMs = 1000
const maxRecoveryMs = 5000
/** The number of calls in ten that need the locked table and hold a connection while they wait for it. */
const blockedOfTen = 8
const chunkMs = 100
const steps = 3

/** Every connection of a gateway's pool is held by somebody who waits for a lock. */
export const poolHeld = scenario<Size>({
  name: 'R26',
  promise:
    'An exhausted pool fails fast: 503 and Retry-After within a second; steps and streams go on, and all is well again soon after.',
  sizes: {
    ci: { beforeSeconds: 2, seconds: 5, afterSeconds: 6, perSecond: 80, streams: 12, runs: 10 },
    full: { beforeSeconds: 10, seconds: 30, afterSeconds: 20, perSecond: 100, streams: 50, runs: 50 },
  },
  play: async (stage, size) => {
    const { fleet } = stage
    const resume = await fleet.neighbour.pause()
    const owner = new pg.Client({ connectionString: fleet.stack.postgres.url('ars_owner') })
    await owner.connect()
    try {
      const wholeSeconds = size.beforeSeconds + size.seconds + size.afterSeconds
      const events = Math.ceil((wholeSeconds * 1000) / chunkMs)
      const seen = new Map<string, number[]>()
      const following = Promise.all(
        Array.from({ length: size.streams }, (_, n) => follow(stage, { name: `stream-${n}`, events, seen })),
      )
      const runs: Run[] = [await startRun(stage, 'first', 0)]
      await waitFor('every stream to begin', () => [...seen.values()].every(({ length }) => length > 0), {
        timeoutMs: 30_000,
      })
      const loading = playOpenLoop({ ...stage, perSecond: size.perSecond, seconds: wholeSeconds }, calls(stage, runs))
      await sleep(size.beforeSeconds * 1000)
      runs.push(...(await startRuns(stage, size)))
      await owner.query('begin')
      await owner.query('lock table connectors in access exclusive mode')
      const lockedMs = performance.now()
      const probing = probe(stage, size.seconds)
      const greeting = greet(stage, size.seconds)
      await sleep(size.seconds * 1000)
      const endedMeanwhile = await countEnded(stage, runs)
      const unlockedMs = performance.now()
      await owner.query('rollback')
      const [shots, probes, greetings, followed] = await Promise.all([loading, probing, greeting, following])
      const emptiestMs = percentileMs(greetings, 0.99)
      const during = shots.filter(({ atMs, tookMs }) => atMs >= lockedMs && atMs + tookMs < unlockedMs)
      const refused = during.filter((shot) => !isGood(shot))
      const recoveredMs = settledAfterMs(shots, unlockedMs, isGood)
      return {
        metrics: [
          ['seconds for which the table was locked', ((unlockedMs - lockedMs) / 1000).toFixed(1)],
          ['the emptiest answer meanwhile, on a new connection, p99, ms', emptiestMs],
          ['calls meanwhile', `${during.length}; ${countsOf(during)}`],
          ['refused, ms: p50, p99, most', [0.5, 0.99, 1].map((share) => percentileMs(refused, share)).join(', ')],
          ['calls afterwards', countsOf(shots.filter(({ atMs }) => atMs >= unlockedMs))],
          ['ms until every call succeeded again', Math.round(recoveredMs)],
          ['runs that ended meanwhile', `${endedMeanwhile} of ${runs.length}`],
          ['probes meanwhile', countsOf(probes)],
          ...metricsOf(followed),
        ],
        claims: [
          measured('calls are refused while the pool is held', refused.length > during.length / 10, countsOf(during)),
          measured(
            'also those that do not need the locked table: there is no connection for them',
            during.some((shot) => !isGood(shot) && !shot.needsTable),
            'none was',
          ),
          {
            says: 'refused calls receive 503 and Retry-After',
            violations: refused.filter((shot) => !isToldToComeAgain(shot)).map((shot) => `${statusOf(shot)}`),
          },
          measured(
            `within ${maxAnswerMs} ms beyond the emptiest answer of that time, 99 in 100`,
            percentileMs(refused, 0.99) <= maxAnswerMs + emptiestMs,
            `${percentileMs(refused, 0.99)} ms`,
          ),
          {
            says: 'probes are answered meanwhile: the process lives, and its database answers',
            violations: probes.filter((shot) => statusOf(shot) !== 200).map((shot) => `${statusOf(shot)}`),
            isMeasured: true,
          },
          measured(
            `every call succeeds ${maxRecoveryMs / 1000} s after the lock is gone`,
            recoveredMs <= maxRecoveryMs,
            `${Math.round(recoveredMs)} ms`,
          ),
          measured(
            'the steps of runs go on meanwhile',
            endedMeanwhile === runs.length,
            `${endedMeanwhile} of ${runs.length}`,
          ),
          {
            says: 'each stream is given frames meanwhile: none of them holds a connection',
            violations: [...seen].flatMap(([name, atMs]) =>
              atMs.some((each) => each > lockedMs + 1000 && each < unlockedMs) ? [] : [name],
            ),
            isMeasured: true,
          },
          allCompleted('every run completes', await ends(stage, runs)),
          ...(await judgeStreams(stage, followed, { events })),
        ],
      }
    } finally {
      await owner.end()
      resume()
    }
  },
})

type Call = Pick<Shot, 'tookMs' | 'answer'> & { needsTable: boolean }
type Run = { key: string; id: string }

/** Most list connectors, whose table is locked; the others create runs and read them. */
const calls = (stage: Stage, runs: readonly Run[]) => {
  const { client } = stage.fleet
  const headers = client.authorization
  return async (n: number): Promise<Call> => {
    const needsTable = n % 10 < blockedOfTen
    const attempt = (): Attempt => {
      const expects = [200, 202, 503]
      if (needsTable) {
        const call = { method: 'GET', path: '/v2/connectors?limit=1', headers } as const
        return { what: 'list', key: stage.key(`list-${n}`), call, expects }
      }
      if (n % 2 === 0) return { ...createOf(stage, `create-${n}`), expects }
      const path = `/v2/runs/${runs[n % runs.length]?.id}`
      return { what: 'read', key: stage.key(`read-${n}`), call: { method: 'GET', path, headers }, expects }
    }
    return { ...(await shootOnce(client, gateway, attempt())), needsTable }
  }
}

const createOf = ({ fleet, key }: Stage, name: string): Attempt => {
  const order = { key: key(name), agentId: fleet.agentId('test-echo'), input: { query: name }, prefer: 'respond-async' }
  return { what: 'create', key: order.key, call: fleet.client.toCall(order) }
}

/** They last for a good part of the time that the table is locked. */
const startRuns = (stage: Stage, size: Size): Promise<Run[]> => {
  const delayMs = Math.round((size.seconds * 1000) / (steps + 3))
  return Promise.all(Array.from({ length: size.runs }, (_, n) => startRun(stage, n, delayMs)))
}

const startRun = async (stage: Stage, name: string | number, delayMs: number): Promise<Run> => {
  const order = orderOfSteps(stage.fleet, stage.key(`run-${name}`), { input: { steps, delay_ms: delayMs } })
  return { key: order.key, id: (await stage.fleet.client.accept(order)).id }
}

const countEnded = async ({ fleet }: Stage, runs: readonly Run[]): Promise<number> => {
  const text = 'select count(*)::integer as runs from run_results where run_id = any ($1)'
  const ids = uuidsOf(runs.map(({ id }) => ({ runId: id })))
  return (await fleet.records.query<{ runs: number }>(text, [ids]))[0]?.runs ?? 0
}

const ends = ({ fleet }: Stage, runs: readonly Run[]): Promise<Ended[]> =>
  Promise.all(
    runs.map(async ({ key, id }) => {
      const { status, error } = await fleet.client.awaitEnd({ key }, id)
      return { key, runId: id, status, errorCode: error?.code }
    }),
  )

/** First on this gateway; a client that is cut continues at the other. */
const follow = (
  stage: Stage,
  { name, events, seen }: { name: string; events: number; seen: Map<string, number[]> },
): Promise<Followed> => {
  const atMs: number[] = []
  seen.set(name, atMs)
  return followRun({
    client: stage.fleet.client,
    journal: stage.fleet.journal,
    random: stage.random.fork(name),
    hopeless: stage.hopeless,
    cutAfterBytes: [],
    first: gateway,
    onFrame: () => void atMs.push(performance.now()),
    order: {
      key: stage.key(name),
      agentId: stage.fleet.agentId('test-stream'),
      input: { chunks: events, chunk_chars: 24, delay_ms: chunkMs },
      prefer: '',
    },
  })
}

/** What an orchestrator asks, on the private port. */
const probe = async ({ fleet, hopeless }: Stage, seconds: number): Promise<Shot[]> => {
  const { metricsUrl } = fleet.gateways[gateway]
  return playOpenLoop({ perSecond: 4, seconds, hopeless }, async (n) => {
    const begun = performance.now()
    const status = await statusAt(`${metricsUrl}/${n % 2 === 0 ? 'readyz' : 'livez'}`)
    return { tookMs: performance.now() - begun, answer: status === 0 ? null : { status, headers: {}, text: '' } }
  })
}

/** The cost of a call on this machine: a new connection and an answer without work. */
const greet = async ({ fleet, hopeless }: Stage, seconds: number): Promise<Shot[]> => {
  const caller = fleet.caller(gateway, { keepAlive: false })
  try {
    return await playOpenLoop({ perSecond: 4, seconds, hopeless }, async () => {
      const begun = performance.now()
      const answer = await caller.call({ method: 'GET', path: '/livez' }).catch(() => null)
      return { tookMs: performance.now() - begun, answer }
    })
  } finally {
    caller.close()
  }
}

const statusAt = (url: string): Promise<number> =>
  new Promise((resolve) => {
    const request = get(url, { timeout: maxAnswerMs, agent: false }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    request.once('error', () => resolve(0))
    request.once('timeout', () => request.destroy(new Error('timed out waiting for the answer')))
  })

const isGood = ({ answer }: Pick<Shot, 'answer'>): boolean => answer !== null && isFine(answer)

const isToldToComeAgain = (shot: Pick<Shot, 'answer'>): boolean =>
  statusOf(shot) === 503 && Number(shot.answer?.headers['retry-after']) >= 1
