import { type Assault, type Attack, count, type Strength, scaled, type Tally, type Target } from './attack.ts'
import { inParallel, openWire, statusOf, type Wire } from './wire.ts'

/** Connections that are held without use, or used as slowly as one can. */
export const socketAttacks: readonly Attack[] = [
  {
    name: 'idle sockets, ten addresses',
    what: '5,000 TLS connections from ten addresses, each used once and then held',
    // Refused are those whose handshake took too long where the machine is busy.
    outcomes: ['held', '200', 'refused'],
    proof: ['held'],
    maxGrownBytes: (strength) => scaled(idleSockets, strength) * connectionBytes,
    begin: (target, strength) => holdIdle(target, strength, tenAddresses),
  },
  {
    name: 'idle sockets, one address',
    what: '5,000 TLS connections from one address, which may have 1,200',
    outcomes: ['held', '200', 'refused'],
    proof: ['held'],
    begin: (target, strength) => holdIdle(target, strength, ['127.0.0.2']),
  },
  {
    name: 'slow headers',
    what: '500 connections that send a byte of a header a second; one that is closed is made anew',
    outcomes: ['held', '408'],
    proof: ['408'],
    leastMs: ({ headersTimeoutMs }) => headersTimeoutMs + graceMs,
    begin: (target, strength) => drip(target, strength, 'GET /v2/agents HTTP/1.1\r\nHost: x\r\nX-Slow: '),
  },
  {
    name: 'slow bodies',
    what: '500 connections that send a byte of a body a second, with a key that works',
    // Their key has a rate, too.
    outcomes: ['held', '408', '429'],
    proof: ['408'],
    leastMs: ({ requestTimeoutMs }) => requestTimeoutMs + graceMs,
    begin: (target, strength) =>
      drip(
        target,
        strength,
        `POST /v2/runs HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${target.key}\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{`,
      ),
  },
]

// The gateway looks once a second whether somebody is late.
const graceMs = 2_000
const tenAddresses = Array.from({ length: 10 }, (_, at) => `127.0.0.${at + 10}`)
const openedAtOnce = 50
const idleSockets = 5_000
// What an encrypted connection may cost the gateway: Node keeps buffers for each, and the parser its own.
const connectionBytes = 80 * 1024
const slowSockets = 500

const holdIdle = async (target: Target, strength: Strength, addresses: readonly string[]): Promise<Assault> => {
  const tally: Tally = {}
  const wires: Wire[] = []
  const numbers = Array.from({ length: scaled(idleSockets, strength) }, (_, at) => at)
  await inParallel(numbers, openedAtOnce, async (at) => {
    const wire = await openWire(target, { from: addresses[at % addresses.length] ?? '127.0.0.1' })
    if (!wire) return count(tally, 'refused')
    // One that was used may idle for longer than one that was not.
    wire.socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
    await new Promise((resolve) => {
      wire.socket.once('data', resolve)
      wire.socket.once('close', resolve)
    })
    if (wire.isClosed()) return count(tally, 'refused')
    wires.push(wire)
  })
  return {
    stop: async () => {
      for (const wire of wires) {
        count(tally, wire.isClosed() ? statusOf(wire.text()) : 'held')
        wire.socket.destroy()
      }
      return tally
    },
  }
}

const drip = async (target: Target, strength: Strength, head: string): Promise<Assault> => {
  const tally: Tally = {}
  const wires = new Set<Wire>()
  let isOver = false
  const open = async (): Promise<void> => {
    const wire = await openWire(target)
    if (!wire) return count(tally, 'refused')
    if (isOver) return void wire.socket.destroy()
    wires.add(wire)
    wire.onClose((text) => {
      wires.delete(wire)
      if (isOver) return
      count(tally, statusOf(text))
      setTimeout(() => void open(), 100).unref()
    })
    wire.socket.write(head)
  }
  await inParallel(Array.from({ length: scaled(slowSockets, strength) }).keys(), openedAtOnce, open)
  const timer = setInterval(() => {
    for (const { socket } of wires) socket.write('x')
  }, 1_000)
  return {
    stop: async () => {
      isOver = true
      clearInterval(timer)
      count(tally, 'held', wires.size)
      for (const { socket } of wires) socket.destroy()
      return tally
    },
  }
}
