import { randomBytes } from 'node:crypto'
import { Client, type Dispatcher } from 'undici'
import type { Side, WindowMetrics, WindowOrder } from '../../lab/measure/load.ts'
import { quantile } from '../../lab/measure/statistics.ts'
import type { FromGenerator, Setup, Target, ToGenerator } from './protocol.ts'

// A separate process, so that its CPU time is measured apart from the subject's. Each caller has one kept-alive
// HTTP/1.1 connection, and both sides run through the same lines.
let targets: Setup['targets'] | undefined
const connections: Record<Side, Client[]> = { service: [], control: [] }
const keyPrefix = randomBytes(6).toString('hex')
/** Frames of a stream also have a field `run_id`. */
const runIdPattern = /run_[0-9a-z]{26}/
let calls = 0

process.on('message', (message: ToGenerator) => {
  if (message.kind === 'setup') {
    targets = message.targets
    tell({ kind: 'ready' })
    return
  }
  runWindow(message).then(
    (metrics) => tell({ kind: 'done', metrics }),
    (error: unknown) => {
      console.error(error)
      process.exit(1)
    },
  )
})
process.on('disconnect', () => process.exit(0))

const runWindow = async (order: WindowOrder): Promise<WindowMetrics> => {
  if (!targets) throw new Error('the generator was not set up')
  const target = targets[order.side]
  const clients = connect(order.side, target, order.callers)
  const tally = newTally()
  const { clock, closed } = openWindow(order, tally)
  if (order.ratePerSecond) await arriveSteadily(target, clients, tally, clock, order.ratePerSecond)
  else await Promise.all(clients.map((client) => callUntilOver(target, client, tally, clock)))
  return toMetrics(tally, await closed)
}

type Tally = {
  isOpen: boolean
  latenciesMs: number[]
  answersInAll: number
  runIds: string[]
  failures: Record<string, number>
}

const newTally = (): Tally => ({ isOpen: false, latenciesMs: [], answersInAll: 0, runIds: [], failures: {} })

type Clock = {
  isOver: boolean
}

const openWindow = (order: WindowOrder, tally: Tally): { clock: Clock; closed: Promise<number> } => {
  const clock: Clock = { isOver: false }
  const closed = new Promise<number>((resolve) => {
    setTimeout(() => {
      tally.isOpen = true
      const openedAt = performance.now()
      tell({ kind: 'opened' })
      setTimeout(() => {
        tally.isOpen = false
        clock.isOver = true
        tell({ kind: 'closed' })
        resolve((performance.now() - openedAt) / 1000)
      }, order.lengthMs)
    }, order.leadInMs)
  })
  return { clock, closed }
}

const callUntilOver = async (target: Target, client: Client, tally: Tally, clock: Clock): Promise<void> => {
  while (!clock.isOver) await call(target, client, tally, performance.now())
}

/** Latency counts from the moment at which the call was due: a side that stalls cannot hide it by being asked less. */
const arriveSteadily = async (
  target: Target,
  clients: Client[],
  tally: Tally,
  clock: Clock,
  rate: number,
): Promise<void> => {
  const begun = performance.now()
  const underWay = new Set<Promise<void>>()
  const idle = [...clients]
  const waiting: number[] = []
  const begin = (client: Client, dueAt: number): void => {
    const one = call(target, client, tally, dueAt).then(() => {
      underWay.delete(one)
      const next = waiting.shift()
      if (next === undefined) idle.push(client)
      else begin(client, next)
    })
    underWay.add(one)
  }
  for (let arrived = 0; !clock.isOver; ) {
    const dueAt = begun + (arrived * 1000) / rate
    if (dueAt > performance.now()) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      continue
    }
    arrived++
    const client = idle.pop()
    if (client) begin(client, dueAt)
    else waiting.push(dueAt)
  }
  while (underWay.size > 0) await Promise.all(underWay)
}

const call = (target: Target, client: Client, tally: Tally, begunAt: number): Promise<void> =>
  new Promise((resolve) => {
    let status = 0
    let text = ''
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: () => undefined,
      onResponseStart: (_, statusCode) => {
        status = statusCode
      },
      onResponseData: (_, chunk) => {
        text += chunk.toString('latin1')
      },
      onResponseEnd: () => {
        count(target, tally, { status, text, begunAt })
        resolve()
      },
      onResponseError: (_, error) => {
        const name = (error as { code?: string }).code ?? error.name
        tally.failures[name] = (tally.failures[name] ?? 0) + 1
        // A connection that cannot be opened fails at once; calling again at once would only burn the generator's CPU.
        setTimeout(resolve, 100)
      },
    }
    const { authorization, body = target.body } = target.turns?.[calls % target.turns.length] ?? {}
    const key = { 'idempotency-key': `${keyPrefix}-${calls++}` }
    const headers = { ...target.headers, ...(authorization && { authorization }), ...key }
    client.dispatch({ method: 'POST', path: target.path, headers, body }, handler)
  })

const count = (target: Target, tally: Tally, answer: { status: number; text: string; begunAt: number }): void => {
  if (answer.status !== (target.status ?? 200) || !answer.text.includes(target.expect)) {
    tally.failures[answer.status] = (tally.failures[answer.status] ?? 0) + 1
    return
  }
  tally.answersInAll++
  if (tally.isOpen) tally.latenciesMs.push(performance.now() - answer.begunAt)
  const id = runIdPattern.exec(answer.text)?.[0]
  if (id) tally.runIds.push(id)
}

const connect = (side: Side, target: Target, callers: number): Client[] => {
  const known = connections[side]
  while (known.length < callers) {
    known.push(
      new Client(target.origins[known.length % target.origins.length] ?? '', {
        pipelining: 1,
        allowH2: false,
        // Idle while the other side is measured; a new connection would cost the next window.
        keepAliveTimeout: 600_000,
        keepAliveMaxTimeout: 600_000,
        ...(target.ca && { connect: { ca: target.ca, servername: 'localhost' } }),
      }),
    )
  }
  return known.slice(0, callers)
}

const toMetrics = ({ latenciesMs, answersInAll, runIds, failures }: Tally, seconds: number): WindowMetrics => {
  const at = (share: number): number => quantile(latenciesMs, share)
  const mean = latenciesMs.reduce((sum, one) => sum + one, 0) / latenciesMs.length
  return {
    answers: latenciesMs.length,
    seconds,
    latencyMs: { mean, p50: at(0.5), p90: at(0.9), p99: at(0.99), most: at(1) },
    answersInAll,
    runIds,
    failures,
  }
}

const tell = (message: FromGenerator): void => {
  process.send?.(message)
}
