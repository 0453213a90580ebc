/** Something that must not be silent for long. `spokeAt` is the tick at which it last said anything. */
export type Beating = { spokeAt: number; beat(): void }

/** One timer for all streams, however many: each is looked at when its silence would be over, and not before. */
export type Heartbeats = {
  /** The present tick, for whoever speaks. */
  readonly tick: number
  add(stream: Beating): void
  remove(stream: Beating): void
  close(): void
}

// A stream that falls silent in the middle of a tick is served a tick early, and so never late.
const ticksPerBeat = 15

export const createHeartbeats = (everyMs: number): Heartbeats => {
  const silentTicksMost = ticksPerBeat - 1
  const slots = Array.from({ length: ticksPerBeat }, () => new Set<Beating>())
  const places = new Map<Beating, Set<Beating>>()
  let tick = 0

  const place = (stream: Beating): void => {
    const slot = slots[(stream.spokeAt + silentTicksMost) % ticksPerBeat]
    if (!slot) return
    slot.add(stream)
    places.set(stream, slot)
  }

  const turn = (): void => {
    tick++
    const slot = slots[tick % ticksPerBeat]
    for (const stream of [...(slot ?? [])]) {
      if (tick - stream.spokeAt >= silentTicksMost) {
        stream.beat()
        stream.spokeAt = tick
      }
      if (!places.has(stream)) continue
      slot?.delete(stream)
      place(stream)
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
      place(stream)
    },
    remove: (stream) => {
      places.get(stream)?.delete(stream)
      places.delete(stream)
    },
    close: () => clearInterval(timer),
  }
}
