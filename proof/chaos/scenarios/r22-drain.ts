import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ApiCaller } from '../../lab/client/api-caller.ts'
import { type Balancer, balancer } from '../../lab/client/balancer.ts'
import { countsOf, percentileMs, playOpenLoop, type Shot, statusOf } from '../../lab/client/open-loop.ts'
import { waitFor } from '../../lab/condition.ts'
import { shootOnce } from '../journaled-shot.ts'
import { type Attempt, type RunClient, runClient, toRun } from '../run-client.ts'
import { measured, type Stage, scenario } from '../scenario.ts'
import { followAll, judgeStreams, metricsOf } from './r23-streams.ts'

type Size = {
  stops: number
  /** From one stop to the next. */
  everySeconds: number
  perSecond: number
  streams: number
  /** The streams are distributed over this many runs. */
  runs: number
  /** A frame every so often; the runs last as long as the stops. */
  frameEveryMs: number
}

type Stop = {
  name: string
  /** From SIGTERM: until it was seen not to be ready, until no connection was taken, until the process had ended. */
  unreadyMs: number
  closedMs: number
  endedMs: number
}

const balancerHost = '127.0.0.62'
/** Connections are used in turn, so that none is idle for long. */
const connections = 12
const waitsPerSecond = 2
const maxExitMs = 30_000
/** A stream is established after this many frames: created, started, the first delta. */
const framesEach = 5

/** Gateways are taken away one after the other in good order, behind a balancer, while clients work. */
export const drain = scenario<Size>({
  name: 'R22',
  promise: 'Stopping a gateway fails no call: calls in flight end, new calls go to another gateway, streams resume.',
  patienceMs: { ci: 180_000, full: 1_800_000 },
  sizes: {
    ci: { stops: 2, everySeconds: 7, perSecond: 60, streams: 12, runs: 12, frameEveryMs: 80 },
    full: { stops: 20, everySeconds: 60, perSecond: 200, streams: 500, runs: 50, frameEveryMs: 1000 },
  },
  play: async (stage, size) => {
    const { fleet } = stage
    const front = await openBalancer(stage)
    const caller = fleet.caller(0, { host: front.host, port: front.port, connections })
    const singly = fleet.caller(0, { host: front.host, port: front.port, keepAlive: false })
    const idle = fleet.caller(1, { connections: 1 })
    const client = clientThrough(stage, caller)
    const seconds = size.stops * size.everySeconds
    const events = Math.ceil((seconds * 1000) / size.frameEveryMs)
    const behind: Stage = { ...stage, fleet: { ...fleet, client } }
    let frames = 0
    try {
      const following = followAll(
        behind,
        Array.from({ length: size.streams }, (_, n) => String(n % size.runs)),
        { events, cuts: 0, everyMs: size.frameEveryMs, isPatient: true, onFrame: () => frames++ },
      )
      // A call that arrives while all of them start would be shed, which another scenario covers.
      await waitFor('the streams to stand', () => frames >= framesEach * size.streams, { timeoutMs: 120_000 })
      const idleSince = performance.now()
      const isAnswered = await isAlive(stage, idle)
      const playing = Promise.all([
        playOpenLoop({ ...stage, perSecond: size.perSecond, seconds }, quickCalls(stage, client)),
        playOpenLoop({ ...stage, perSecond: waitsPerSecond, seconds }, waits(stage, client, singly)),
      ])
      const stops = await stopInTurn(stage, size, front)
      const [quick, waiting] = await playing
      const followed = await following
      const idleSeconds = (performance.now() - idleSince) / 1000
      const shots = [...quick, ...waiting]
      return {
        metrics: [
          ['gateways stopped', stops.map(({ name }) => name).join(', ')],
          ['ms until seen not ready', stops.map(({ unreadyMs }) => Math.round(unreadyMs)).join(', ')],
          ['ms until no connection was taken', stops.map(({ closedMs }) => Math.round(closedMs)).join(', ')],
          ['ms until the process had ended', stops.map(({ endedMs }) => Math.round(endedMs)).join(', ')],
          ['calls', `${shots.length}; ${countsOf(shots)}`],
          ['ms that they took: p50, p99', `${percentileMs(quick, 0.5)}, ${percentileMs(quick, 0.99)}`],
          ['runs that the streams show', size.runs],
          ...metricsOf(followed),
        ],
        claims: [
          {
            isMeasured: true,
            says: 'no call fails and no answer breaks off',
            violations: shots
              .filter(hasFailed)
              .map((shot) => `${statusOf(shot)} ${shot.answer?.text.slice(0, 100) ?? ''}`),
          },
          measured(
            `the gateway ends within ${maxExitMs / 1000} s`,
            stops.every(({ endedMs }) => endedMs <= maxExitMs),
            'not',
          ),
          {
            says: 'it reports not ready before it refuses connections',
            violations: stops.filter(({ unreadyMs, closedMs }) => unreadyMs >= closedMs).map(({ name }) => name),
            isMeasured: true,
          },
          measured(
            'streams were moved to the other gateway',
            followed.some(({ connections: made }) => made > 1),
            'none was',
          ),
          measured(
            `a connection that was idle for ${Math.round(idleSeconds)} s is still answered`,
            isAnswered && (await isAlive(stage, idle)),
            'it is not',
          ),
          ...(await judgeStreams(behind, followed, { events })),
        ],
      }
    } finally {
      for (const each of [caller, singly, idle]) each.close()
      await front.close()
    }
  },
})

const openBalancer = ({ fleet }: Stage): Promise<Balancer> => {
  const { ports } = fleet.stack
  return balancer({
    listen: { host: balancerHost, port: ports.gateway[0] },
    targets: fleet.gateways.map(({ name, metricsUrl }, at) => ({
      name,
      host: '127.0.0.1',
      port: ports.gateway[at] ?? 0,
      readyUrl: `${metricsUrl}/readyz`,
    })),
  })
}

/** The customer, who knows one address only. */
const clientThrough = ({ fleet, random, hopeless }: Stage, caller: ApiCaller): RunClient =>
  runClient({
    org: fleet.client.org,
    gateways: [caller, caller],
    apiKey: fleet.organisation.apiKey,
    journal: fleet.journal,
    random: random.fork('balanced'),
    patienceMs: 60_000,
    hopeless,
  })

/** Runs are created, read and listed. */
const quickCalls = ({ fleet, key }: Stage, client: RunClient) => {
  const known: string[] = []
  return async (n: number): Promise<Pick<Shot, 'tookMs' | 'answer'>> => {
    const id = known.at(-1)
    if (n % 5 === 0 || id === undefined) {
      const order = {
        key: key(n),
        agentId: fleet.agentId('test-echo'),
        input: { query: String(n) },
        prefer: 'respond-async',
      }
      const shot = await shootOnce(client, 0, { what: 'create', key: order.key, call: client.toCall(order) })
      const run = shot.answer && toRun(shot.answer)
      if (run) known.push(run.id)
      return shot
    }
    const path = n % 5 === 1 ? '/v2/runs?limit=5' : `/v2/runs/${id}`
    const attempt: Attempt = {
      what: n % 5 === 1 ? 'list' : 'read',
      key: key(`read-${n}`),
      call: { method: 'GET', path, headers: client.authorization },
    }
    return shootOnce(client, 0, attempt)
  }
}

/** A caller that waits for a result when the gateway stops receives the current state. */
const waits =
  ({ fleet, key }: Stage, client: RunClient, through: ApiCaller) =>
  (n: number): Promise<Pick<Shot, 'tookMs' | 'answer'>> => {
    const order = {
      key: key(`wait-${n}`),
      agentId: fleet.agentId('test-steps'),
      input: { steps: 1, delay_ms: 3000 },
      prefer: 'wait=10',
    }
    return shootOnce(client, 0, { what: 'create', key: order.key, call: client.toCall(order) }, through)
  }

const stopInTurn = async (stage: Stage, size: Size, front: Balancer): Promise<Stop[]> => {
  const { fleet, say } = stage
  const stops: Stop[] = []
  const begun = performance.now()
  for (let n = 0; n < size.stops; n++) {
    await sleep(Math.max(0, begun + (n * size.everySeconds + 1) * 1000 - performance.now()))
    const { name } = fleet.gateways[n % 2 === 0 ? 0 : 1]
    await waitFor('both gateways to be ready', () => fleet.gateways.every((each) => front.isReady(each.name)), {
      timeoutMs: 60_000,
    })
    stops.push(await stopOne(stage, { name, port: fleet.stack.ports.gateway[n % 2] ?? 0, front }))
    say(`${stops.length} stopped`)
  }
  return stops
}

const stopOne = async (
  { fleet }: Stage,
  { name, port, front }: { name: string; port: number; front: Balancer },
): Promise<Stop> => {
  const begun = performance.now()
  const closed = waitFor('the listener to close', async () => !(await takesConnections(port)), {
    timeoutMs: maxExitMs,
    everyMs: 20,
  }).then(() => performance.now() - begun)
  const bringBack = await fleet.supervision.takeDown(name, 'stop')
  const endedMs = performance.now() - begun
  const closedMs = await closed
  const unready = front.turns.findLast((turn) => turn.name === name && !turn.isReady)
  await bringBack()
  return { name, unreadyMs: (unready?.atMs ?? Number.POSITIVE_INFINITY) - begun, closedMs, endedMs }
}

const takesConnections = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

/** Directly, on the one connection that this caller has. */
const isAlive = async ({ fleet }: Stage, idle: ApiCaller): Promise<boolean> => {
  const answer = await idle
    .call({ method: 'GET', path: '/v2/runs?limit=1', headers: { ...fleet.client.authorization } })
    .catch(() => null)
  return answer?.status === 200
}

const hasFailed = (shot: Shot): boolean => {
  const status = statusOf(shot)
  return status < 200 || status >= 300
}
