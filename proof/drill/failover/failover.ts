import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiCaller } from '../../lab/client/api-caller.ts'
import { type Claim, type Metric, measured } from '../../lab/report/outcome.ts'
import { setConcurrency } from '../../lab/stack/organisation.ts'
import { openSql } from '../../lab/stack/sql.ts'
import { chargeScript, chargeServerEnv, startChargeServer } from '../charge-server.ts'
import { drill } from '../drill.ts'
import { longestEndStallMs, readRuns, runClaims, untilAllEnded } from '../run-records.ts'
import { type Accepted, longestStallMs, startTraffic } from '../traffic.ts'
import { startHaStack } from './ha-stack.ts'

type Size = {
  /** Runs that are started each second. */
  perSecond: number
  /** How often the primary is killed. After each time the lost node is built again as the standby. */
  failovers: number
  /** How often a node of the engine is killed. */
  engineKills: number
  /** Load before and after each event. */
  seconds: number
  /** For how long the standby lags behind when the primary is killed. */
  lagSeconds: number
  /** 1: a commit waits for the standby. 0: it does not. Then runs are lost, and the drill must say so. */
  synchronous: 0 | 1
}

const chargeMs = 1500
const maxFirstAcceptMs = 30_000
const maxEngineStallMs = 10_000
const endTimeoutMs = 600_000

type Event = { what: string; atMs: number; at: Date; untilMs: number; until: Date }

/** The example of the guide loses one part after the other while clients work. */
export const failover = drill<Size>({
  name: 'failover',
  promise:
    'The loss of the database primary, of an engine node, of the standby or of Redis loses no acknowledged run, ends none twice and repeats no effectful tool call.',
  sizes: {
    ci: { perSecond: 4, failovers: 1, engineKills: 1, seconds: 3, lagSeconds: 1, synchronous: 1 },
    full: { perSecond: 5, failovers: 5, engineKills: 3, seconds: 10, lagSeconds: 3, synchronous: 1 },
  },
  play: async ({ say, keepFiles }, size) => {
    const ha = await startHaStack({ env: chargeServerEnv, isSynchronous: size.synchronous === 1 })
    say('the stack is up: 2 gateways, 2 workers, primary and standby, 3 engine nodes, Redis and its replica')
    const { stack, organisation } = ha
    const ca = readFileSync(stack.tls.certFile)
    const gateways = stack.ports.gateway.map((port) => apiCaller({ port, ca }))
    const records = openSql(stack.postgres.url('ars_system'))
    let hasFailed = true
    try {
      await setConcurrency(records, organisation, 1000)
      const [gateway] = gateways
      if (!gateway) throw new Error('there is no gateway')
      const tool = await startChargeServer({
        port: ha.sparePort,
        answerAfterMs: chargeMs,
        gateway,
        organisation,
        records,
      })
      const traffic = startTraffic({
        gateways,
        apiKey: organisation.apiKey,
        prefix: 'order',
        perSecond: size.perSecond,
        bodyOf: (key) => ({ agent_id: tool.agentId, input: { script: chargeScript(key) } }),
      })
      const pause = (): Promise<void> => sleep(size.seconds * 1000)
      /** Plays one loss; the load before it and after it belongs to it. */
      const lose = async <Found>(
        what: string,
        act: () => Promise<Found>,
        prepare?: () => Promise<void>,
      ): Promise<Event & { found: Found }> => {
        await pause()
        await prepare?.()
        const event = { what, atMs: performance.now(), at: new Date() }
        const found = await act()
        await pause()
        say(what)
        return { ...event, found, untilMs: performance.now(), until: new Date() }
      }
      const engine: Event[] = []
      for (let n = 0; n < size.engineKills; n++) {
        // The first one named in the settings first: all processes speak to that one.
        const node = ha.engine[n % ha.engine.length]
        engine.push(await lose(`engine node ${(n % ha.engine.length) + 1} killed`, async () => node?.kill()))
        await node?.start()
      }
      const redis = await lose('Redis killed, its replica promoted', () => ha.redis.loseMaster())
      const standby = await lose('standby killed, the primary goes on alone', () => ha.database.loseStandby())
      await ha.database.attachStandby()
      const primary: (Event & { found: { noticedMs: number; promotedMs: number } })[] = []
      // What the primary commits now is on the standby or lost.
      const letStandbyLag = async (): Promise<void> => {
        await ha.database.stopShipping()
        await sleep(size.lagSeconds * 1000)
      }
      for (let n = 0; n < size.failovers; n++) {
        primary.push(await lose('primary killed, the standby promoted', () => ha.database.losePrimary(), letStandbyLag))
        await ha.database.attachStandby()
      }
      await traffic.stop()
      const asked = await untilAllEnded({ records, gateways, organisation, timeoutMs: endTimeoutMs })
      const runs = await readRuns(records)
      const accepted = traffic.accepted()
      const charged = Map.groupBy(tool.charges(), ({ order }) => order)
      const engineStallMs = Math.max(...engine.map(({ atMs, untilMs }) => longestStallMs(accepted, atMs, untilMs)))
      const endStallMs = Math.max(...engine.map(({ at, until }) => longestEndStallMs(runs, at, until)))
      const firstMs = primary.map((event) => firstAcceptMs(accepted, event))
      await tool.close()
      const seconds = (ms: number): string => (ms / 1000).toFixed(1)
      const metrics: Metric[] = [
        ['runs acknowledged', accepted.length],
        ['requests refused or without an answer, then sent again with the same key', inWords(traffic.refusals())],
        ['charges received', tool.charges().length],
        ['runs that asked a person whether an interrupted charge was carried out', asked],
        [
          'primary killed: seconds until it was noticed',
          primary.map(({ found }) => seconds(found.noticedMs)).join(', '),
        ],
        [
          'primary killed: seconds until the standby was promoted',
          primary.map(({ found }) => seconds(found.promotedMs)).join(', '),
        ],
        ['primary killed: seconds until the first accept (RTO)', firstMs.map(seconds).join(', ')],
        ['primary killed: acknowledged runs missing on the new primary (RPO)', missing(accepted, runs).length],
        ['standby killed: seconds until the primary went on alone', seconds(standby.found.releasedMs)],
        [
          'standby killed: longest time without an accept, seconds',
          seconds(longestStallMs(accepted, standby.atMs, standby.untilMs)),
        ],
        ['engine node killed: longest time without an accept, seconds', seconds(engineStallMs)],
        ['engine node killed: longest time without the end of a run, seconds', seconds(endStallMs)],
        [
          'Redis killed: longest time without an accept, seconds',
          seconds(longestStallMs(accepted, redis.atMs, redis.untilMs)),
        ],
      ]
      const claims: Claim[] = [
        ...runClaims(accepted, runs),
        {
          says: '0 effectful tool calls repeated: every order was charged once',
          violations: [
            ...[...charged]
              .filter(([, all]) => all.length > 1)
              .map(([order, all]) => `${order}: ${all.map(({ key }) => key).join(', ')}`),
            ...accepted.filter(({ key }) => !charged.has(key)).map(({ key }) => `${key}: not charged`),
          ],
        },
        {
          says: 'a charge that is sent again carries the key of the first one',
          violations: [...charged]
            .filter(([, all]) => new Set(all.map(({ key }) => key)).size > 1)
            .map(([order, all]) => `${order}: ${all.map(({ key }) => key).join(', ')}`),
        },
        measured(
          'the first accept comes within 30 s of the loss of the primary',
          firstMs.every((ms) => ms <= maxFirstAcceptMs),
          `${firstMs.map(seconds).join(', ')} s`,
        ),
        measured(
          'with one engine node of three killed, accepts and runs stall for at most 10 s',
          Math.max(engineStallMs, endStallMs) <= maxEngineStallMs,
          `accepts ${seconds(engineStallMs)} s, ends ${seconds(endStallMs)} s`,
        ),
      ]
      hasFailed = claims.some(({ violations }) => violations.length > 0)
      return { metrics, claims }
    } finally {
      for (const each of gateways) each.close()
      await records.close()
      await ha.dispose({ keepFiles: hasFailed && keepFiles })
    }
  },
})

/** From the kill to the acknowledgement of the first run whose request was sent after it. */
const firstAcceptMs = (accepted: readonly Accepted[], { atMs }: Event): number =>
  (accepted.find((run) => run.sentMs > atMs)?.atMs ?? Number.POSITIVE_INFINITY) - atMs

const missing = (accepted: readonly Accepted[], runs: readonly { runId: string }[]): Accepted[] => {
  const known = new Set(runs.map(({ runId }) => runId))
  return accepted.filter(({ runId }) => !known.has(runId))
}

const inWords = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${what}: ${count}`)
    .join(', ') || 'none'
