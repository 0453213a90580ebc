import type { Socket } from 'node:net'

/** What happens to the bytes of a connection. `up` is from the caller to the called, `down` the way back. */
export type Toxics = {
  latencyMs?: number
  /** Added to or taken from the latency, evenly; the order of bytes stays. */
  jitterMs?: number
  bytesPerSecond?: number
  /** The connection is reset after this many bytes in that direction. */
  cutUpAfterBytes?: number
  cutDownAfterBytes?: number
  /** A black hole: connections are accepted and bytes are dropped, in one direction or both. Closing is not forwarded either. */
  blackhole?: 'up' | 'down' | 'both'
  /** A caller is turned away: its connection is closed before a byte has passed. */
  refuse?: true
}

/** One direction of one connection. */
export type Flow = {
  carried(): number
  /** Something was swallowed, so whatever follows would not fit to what came before. */
  hasLost(): boolean
  /** The toxics have changed. */
  wake(): void
  stop(): void
}

/** Kept here at most, so that a slow edge slows its sender instead of filling our memory. */
const maxHeldBytes = 65_536
const pieceBytes = 1024

/** Carries bytes from one socket to the other, as late, as slowly and as long as the toxics of that moment say. */
export const pipeThrough = (
  from: Socket,
  to: Socket,
  { toxics, way, cut }: { toxics: () => Toxics; way: 'up' | 'down'; cut: () => void },
): Flow => {
  const held: { bytes: Buffer; dueMs: number }[] = []
  let heldBytes = 0
  let carried = 0
  let lost = false
  let ended = false
  let stopped = false
  let freeAtMs = 0
  let lastDueMs = 0
  let timer: NodeJS.Timeout | undefined

  const isSwallowed = (): boolean => {
    const { blackhole } = toxics()
    return blackhole === 'both' || blackhole === way
  }

  const receive = (bytes: Buffer): void => {
    if (isSwallowed()) {
      lost = true
      return
    }
    const { latencyMs = 0, jitterMs = 0 } = toxics()
    const dueMs = performance.now() + Math.max(0, latencyMs + (2 * chance() - 1) * jitterMs)
    // Bytes keep their order, whatever the jitter says.
    lastDueMs = Math.max(lastDueMs, dueMs)
    held.push({ bytes, dueMs: lastDueMs })
    heldBytes += bytes.length
    if (heldBytes > maxHeldBytes) from.pause()
    send()
  }

  const send = (): void => {
    clearTimeout(timer)
    timer = undefined
    while (!stopped && !to.destroyed) {
      const first = held[0]
      if (!first) break
      const nowMs = performance.now()
      const waitMs = Math.max(first.dueMs, freeAtMs) - nowMs
      if (waitMs > 0) {
        timer = setTimeout(send, waitMs)
        return
      }
      const { bytesPerSecond } = toxics()
      const piece = bytesPerSecond ? first.bytes.subarray(0, pieceBytes) : first.bytes
      if (piece.length === first.bytes.length) held.shift()
      else first.bytes = first.bytes.subarray(piece.length)
      heldBytes -= piece.length
      if (bytesPerSecond) freeAtMs = Math.max(nowMs, freeAtMs) + (piece.length / bytesPerSecond) * 1000
      if (!give(piece)) return
    }
    if (heldBytes <= maxHeldBytes && from.isPaused() && to.writableLength < maxHeldBytes) from.resume()
    if (ended && held.length === 0 && !stopped && !isSwallowed()) to.end()
  }

  /** False: the connection has been cut, or the receiver must drain first. */
  const give = (piece: Buffer): boolean => {
    if (isSwallowed()) {
      lost = true
      return true
    }
    const most = (way === 'up' ? toxics().cutUpAfterBytes : toxics().cutDownAfterBytes) ?? Number.POSITIVE_INFINITY
    const passing = piece.subarray(0, Math.max(0, most - carried))
    carried += passing.length
    if (passing.length < piece.length || carried >= most) {
      stopped = true
      to.write(passing, () => cut())
      return false
    }
    if (to.write(passing)) return true
    from.pause()
    to.once('drain', send)
    return false
  }

  from.on('data', receive)
  from.once('end', () => {
    ended = true
    send()
  })
  return {
    carried: () => carried,
    hasLost: () => lost,
    wake: send,
    stop: () => {
      stopped = true
      clearTimeout(timer)
    },
  }
}

/** Jitter need not be had again: no verdict depends on it. */
const chance = (): number => crypto.getRandomValues(new Uint32Array(1))[0]! / 2 ** 32
