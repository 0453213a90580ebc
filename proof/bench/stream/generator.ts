import { randomBytes } from 'node:crypto'
import https from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../lab/measure/statistics.ts'
import {
  connectStreams,
  type StreamConnections,
  type StreamHandler,
  StreamRefusal,
  type StreamRequest,
} from './connections.ts'
import {
  type FromStreamGenerator,
  type OpenOrder,
  type StreamAnswers,
  type StreamCaller,
  type StreamOutcome,
  type StreamSetup,
  type StreamSide,
  type StreamTally,
  speech,
  speechTimeoutSeconds,
  type ToStreamGenerator,
} from './protocol.ts'
import { type OpenTally, StreamReader } from './reader.ts'

// All clients of both sides, in a process of their own: its CPU time is not that of what it measures.
type Watched = {
  connections: StreamConnections
  outcomes: StreamOutcome[]
  ended: Promise<void>[]
  tally: OpenTally
  runs: { id: string; caller: StreamCaller }[]
}

/** Streams that are being opened at the same time; more would only wait in the gateway. */
const maxOpening = 16
const maxTries = 30

let setup: StreamSetup | undefined
let window: OpenTally | undefined
const watched = new Map<StreamSide, Watched>()
const keyPrefix = randomBytes(6).toString('hex')
let keys = 0

process.on('message', (message: ToStreamGenerator) => {
  obey(message).then(
    (result) => process.send?.({ result } satisfies FromStreamGenerator),
    (error: unknown) => process.send?.({ failure: String(error) } satisfies FromStreamGenerator),
  )
})
process.on('disconnect', () => process.exit(0))

const obey = async (message: ToStreamGenerator): Promise<StreamAnswers[keyof StreamAnswers]> => {
  switch (message.kind) {
    case 'setup':
      setup = message
      return undefined
    case 'open':
      return openAll(message)
    case 'begin window':
      window = Object.assign(sideOf(message.side).tally, { isOpen: true, latenciesMs: [], bytes: 0 })
      return undefined
    case 'end window':
      return closeWindow()
    case 'cancel':
      return cancelAll()
    case 'await end':
      return awaitEnd(message.side)
  }
}

const openAll = async (order: OpenOrder): Promise<{ tookMs: number }> => {
  const { side, protocol, streams, runs: count } = order
  if (!setup) throw new Error('the generator was not set up')
  const origin = side === 'service' ? setup.service.origin : setup.control[protocol]
  const tally: OpenTally = { isOpen: false, latenciesMs: [], bytes: 0 }
  const connections = connectStreams(protocol, origin, setup.ca)
  const all: Watched = { connections, outcomes: [], ended: [], tally, runs: [] }
  watched.set(side, all)
  const begun = performance.now()
  // The first watcher of a run creates it; the others need its id.
  const firsts = Math.min(count, streams)
  await inParallel(firsts, (n) => openOne(all, n, side === 'service' ? creation(n) : bareStream(n)))
  await inParallel(streams - firsts, (n) =>
    openOne(all, n % firsts, side === 'service' ? joining(all, n % firsts) : bareStream(n % firsts)),
  )
  return { tookMs: performance.now() - begun }
}

const openOne = async (all: Watched, run: number, request: StreamRequest): Promise<void> => {
  const reader = new StreamReader(all.tally, Date.now)
  const { outcome } = reader
  let end: () => void = () => undefined
  all.ended.push(
    new Promise((resolve) => {
      end = resolve
    }),
  )
  all.outcomes.push(outcome)
  const handler: StreamHandler = {
    onData: (text) => reader.read(text),
    onEnd: (failure) => {
      outcome.failure = failure
      end()
    },
  }
  const headers = await untilTaken(() => all.connections.open(request, handler))
  outcome.run = headers['x-run-id'] ?? ''
  all.runs[run] ??= { id: outcome.run, caller: callerOf(run) }
}

/** A gateway that has no connection to its database to spare says 503 and when to come back; clients do so. */
const untilTaken = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
  for (let tries = 1; ; tries++) {
    try {
      return await ask()
    } catch (error) {
      if (!(error instanceof StreamRefusal && error.status === 503 && tries < maxTries)) throw error
      await sleep(1000)
    }
  }
}

const callerOf = (run: number): StreamCaller => {
  const callers = setup?.service.callers ?? []
  const caller = callers[run % callers.length]
  if (!caller) throw new Error('no caller is configured')
  return caller
}

const accept = { accept: 'text/event-stream' }

const creation = (run: number): StreamRequest => {
  const { authorization, agentId } = callerOf(run)
  return {
    method: 'POST',
    path: '/v2/runs/stream',
    headers: {
      ...accept,
      authorization,
      'content-type': 'application/json',
      'idempotency-key': `${keyPrefix}-${keys++}`,
    },
    body: JSON.stringify({ agent_id: agentId, input: speech, timeout_seconds: speechTimeoutSeconds }),
  }
}

const joining = ({ runs }: Watched, run: number): StreamRequest => {
  const { authorization } = callerOf(run)
  return { method: 'GET', path: `/v2/runs/${runs[run]?.id}/stream`, headers: { ...accept, authorization } }
}

const bareStream = (run: number): StreamRequest => ({ method: 'GET', path: `/runs/${run}/stream`, headers: accept })

const closeWindow = (): StreamTally => {
  if (!window) throw new Error('no window is open')
  window.isOpen = false
  const { latenciesMs, bytes } = window
  const at = (share: number): number => quantile(latenciesMs, share)
  return { events: latenciesMs.length, bytes, latencyMs: { p50: at(0.5), p99: at(0.99), most: at(1) } }
}

/** On separate connections, so that the streams' connections carry nothing else. */
const cancelAll = async (): Promise<undefined> => {
  const { runs } = sideOf('service')
  const agent = new https.Agent({ ca: setup?.ca ?? '', servername: 'localhost', keepAlive: true, maxSockets: 16 })
  await inParallel(runs.length, async (n) => {
    const run = runs[n]
    if (run) await untilTaken(() => cancelOne(agent, run.id, run.caller))
  })
  agent.destroy()
}

const cancelOne = (agent: https.Agent, id: string, { authorization }: StreamCaller): Promise<void> =>
  new Promise((resolve, reject) => {
    const path = `/v2/runs/${id}`
    const request = https.request(`${setup?.service.origin}${path}`, {
      method: 'DELETE',
      agent,
      headers: { authorization },
    })
    request.once('error', reject)
    request.once('response', (response) => {
      response.resume()
      if (response.statusCode === 200) response.once('close', resolve)
      else reject(new StreamRefusal(response.statusCode ?? 0, 'DELETE', path))
    })
    request.end()
  })

const awaitEnd = async (side: StreamSide): Promise<StreamOutcome[]> => {
  const { ended, outcomes, connections } = sideOf(side)
  await Promise.all(ended)
  connections.close()
  watched.delete(side)
  return outcomes
}

const sideOf = (side: StreamSide): Watched => {
  const found = watched.get(side)
  if (!found) throw new Error(`no stream of the ${side} is open`)
  return found
}

const inParallel = async (count: number, act: (n: number) => Promise<void>): Promise<void> => {
  let next = 0
  const lane = async (): Promise<void> => {
    while (next < count) await act(next++)
  }
  await Promise.all(Array.from({ length: Math.min(maxOpening, count) }, lane))
}
