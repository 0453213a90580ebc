import { type ClientHttp2Session, connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import { apiCaller } from '../lab/client/api-caller.ts'
import { type Assault, type Attack, count, scaled, type Tally, type Target } from './attack.ts'
import { openWire, statusOf, type Wire } from './wire.ts'

const streamsPerConnection = 190
const largeChars = 900_000
// The budgets of one organisation are 64 MiB of bodies and 32 MiB of responses. The rest is what Node and TLS need.
const maxGrownBytes = (): number => 400 * 1_048_576

/** A busy gateway reads a body late, and refuses it later than a round lasts. */
const maxRefusalMs = 60_000
const refusals = ['408', '429', '503']

/** Requests and responses that stay in memory because the client does not go on. */
export const byteAttacks: readonly Attack[] = [
  {
    name: 'half-sent bodies',
    what: '2,000 bodies of which 1 MB is sent and the end is not, half of them over HTTP/2',
    outcomes: ['408', '429', '503', 'closed'],
    proof: refusals,
    maxGrownBytes,
    begin: async (target, strength) => {
      const half = Math.ceil(scaled(2_000, strength) / 2)
      const part = Buffer.alloc(1_000_000, 0x20)
      const tally: Tally = {}
      const sessions = openSessions(target, half, {})
      for (let at = 0; at < half; at++) {
        const session = sessions[Math.floor(at / streamsPerConnection)] as ClientHttp2Session
        ask(session, { ...post(target), ':path': '/v2/runs' }, tally).write(part)
      }
      const wires = await openWires(target, half)
      const head = `POST /v2/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.key}\r\nContent-Type: application/json\r\nContent-Length: 1048576\r\n\r\n`
      for (const wire of wires) {
        wire.onClose((text) => count(tally, statusOf(text)))
        wire.socket.write(head)
        wire.socket.write(part)
      }
      return until(tally, sessions, wires)
    },
  },
  {
    name: 'unread responses',
    what: '2,000 responses of 2 MB that are not read, half of them over HTTP/2',
    outcomes: ['200', '429', '503', 'closed'],
    proof: refusals,
    maxGrownBytes,
    begin: async (target, strength) => {
      const half = Math.ceil(scaled(2_000, strength) / 2)
      const tally: Tally = {}
      const path = `/v2/runs/${await largeRun(target)}`
      const sessions = openSessions(target, half, { initialWindowSize: 0 })
      for (let at = 0; at < half; at++) {
        const session = sessions[Math.floor(at / streamsPerConnection)] as ClientHttp2Session
        ask(session, { ':path': path, authorization: `Bearer ${target.key}` }, tally).end()
      }
      const wires = await openWires(target, half)
      for (const wire of wires) {
        wire.socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.key}\r\n\r\n`)
        wire.socket.pause()
      }
      return until(tally, sessions, wires)
    },
  },
  {
    name: 'lists of large runs and steps',
    what: '40 runs of 2 MB and one of 40 large steps; eight clients list both without a pause',
    outcomes: ['200', '429', '503', 'closed'],
    proof: ['200'],
    maxGrownBytes,
    begin: async (target, strength) => {
      const caller = callerOf(target)
      for (let at = 0; at < scaled(40, strength); at++) await largeRun(target)
      const steps = await largeSteps(target, Math.max(10, scaled(40, strength)))
      const paths = ['/v2/runs?limit=100', '/v2/runs?limit=100&view=summary', `/v2/runs/${steps}/steps?limit=100`]
      const tally: Tally = {}
      let isOver = false
      const list = async (_: unknown, n: number): Promise<void> => {
        for (let at = n; !isOver; at++) {
          const headers = { authorization: `Bearer ${target.key}` }
          const answer = await caller.call({ method: 'GET', path: paths[at % 3] ?? '', headers }).catch(() => null)
          count(tally, answer?.status ?? 'closed')
        }
      }
      const clients = Array.from({ length: 8 }, list)
      return {
        stop: async () => {
          isOver = true
          await Promise.all(clients)
          return tally
        },
      }
    },
  },
]

const callerOf = ({ port, ca }: Target) => apiCaller({ port, ca: Buffer.from(ca), keepAlive: true })

const post = ({ key }: Target) => ({
  ':method': 'POST',
  authorization: `Bearer ${key}`,
  'content-type': 'application/json',
})

const openSessions = ({ port, ca }: Target, streams: number, settings: { initialWindowSize?: number }) =>
  Array.from({ length: Math.ceil(streams / streamsPerConnection) }, () => {
    const session = connect(`https://localhost:${port}`, { ca, settings })
    session.on('error', () => undefined)
    return session
  })

const openWires = async (target: Target, most: number): Promise<Wire[]> => {
  const wires: Wire[] = []
  for (let at = 0; at < most; at += 50) {
    const opened = await Promise.all(Array.from({ length: Math.min(50, most - at) }, () => openWire(target)))
    wires.push(...opened.filter((wire) => wire !== null))
  }
  return wires
}

const ask = (session: ClientHttp2Session, headers: Record<string, string>, tally: Tally) => {
  const stream = session.request(headers)
  stream.on('response', (answer) => count(tally, String(answer[':status'])))
  stream.on('error', () => undefined)
  return stream
}

/** Everything stays open until the end of the attack, and until the gateway has refused something. */
const until = (tally: Tally, sessions: readonly ClientHttp2Session[], wires: readonly Wire[]): Assault => ({
  stop: async () => {
    for (let waitedMs = 0; waitedMs < maxRefusalMs && !refusals.some((status) => tally[status]); waitedMs += pollMs)
      await sleep(pollMs)
    for (const session of sessions) session.destroy()
    const open = wires.filter((wire) => !wire.isClosed())
    await Promise.all(
      open.map((wire) => {
        const closed = new Promise<void>((resolve) => wire.onClose(() => resolve()))
        wire.socket.destroy()
        return closed
      }),
    )
    return tally
  },
})

const create = async (target: Target, path: string, body: unknown): Promise<string> => {
  const headers = { authorization: `Bearer ${target.key}`, prefer: 'respond-async' }
  const { text } = await callerOf(target).call({ method: 'POST', path, headers, body })
  return String((JSON.parse(text) as { id?: string }).id)
}

const pollMs = 200

/** A run that has ended. Its caller does not wait for it: a large one may take longer than a response may. */
const run = async (target: Target, body: unknown): Promise<string> => {
  const id = await create(target, '/v2/runs', body)
  const headers = { authorization: `Bearer ${target.key}` }
  for (;;) {
    const { text } = await callerOf(target).call({ method: 'GET', path: `/v2/runs/${id}/diagnosis`, headers })
    if (!text.includes('"status":"queued"') && !text.includes('"status":"running"')) return id
    await sleep(pollMs)
  }
}

const largeRun = (target: Target): Promise<string> =>
  run(target, { agent_id: target.agentId, input: { query: 'y'.repeat(largeChars) } })

const largeSteps = async (target: Target, turns: number): Promise<string> => {
  const agent = await create(target, '/v2/agents/custom', { name: 'large', config: { model: 'simulated/script' } })
  const again = Array.from({ length: turns - 1 }, () => ({ text: '{{input.big}}', again: true }))
  const input = { big: 'z'.repeat(largeChars), script: [...again, { text: 'done' }] }
  return run(target, { agent_id: agent, input })
}
