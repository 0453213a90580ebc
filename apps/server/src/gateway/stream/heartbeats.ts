/** A stream that needs heartbeats. `spokeAt` is the tick of its last write. */
export type Beating = { spokeAt: number; beat(): void }

/** One timer for all streams. Each stream is checked only when its heartbeat is due. */
export type Heartbeats = {
  /** The current tick. */
  readonly tick: number
  add(stream: Beating): void
  remove(stream: Beating): void
  close(): void
}

// A stream that goes idle within a tick gets its heartbeat one tick early, never late.
const ticksPerBeat = 15

export const createHeartbeats = (everyMs: number): Heartbeats => {
  const maxSilentTicks = ticksPerBeat - 1
  const slots = Array.from({ length: ticksPerBeat }, () => new Set<Beating>())
  const slotOf = new Map<Beating, Set<Beating>>()
  let tick = 0

  const schedule = (stream: Beating): void => {
    const slot = slots[(stream.spokeAt + maxSilentTicks) % ticksPerBeat]
    if (!slot) return
    slot.add(stream)
    slotOf.set(stream, slot)
  }

  const turn = (): void => {
    tick++
    const slot = slots[tick % ticksPerBeat]
    for (const stream of [...(slot ?? [])]) {
      if (tick - stream.spokeAt >= maxSilentTicks) {
        stream.beat()
        stream.spokeAt = tick
      }
      if (!slotOf.has(stream)) continue
      slot?.delete(stream)
      schedule(stream)
    }
  }
  const timer = setInterval(turn, everyMs / ticksPerBeat)
  timer.unref()

  return {
    get tick() {
      return tick
    },
    add: (stream) => {
      stream.spokeAt = tick
      schedule(stream)
    },
    remove: (stream) => {
      slotOf.get(stream)?.delete(stream)
      slotOf.delete(stream)
    },
    close: () => clearInterval(timer),
  }
}
