/** A semaphore counted in bytes. Callers wait while the budget is used up and are served in order. */
export type ByteBudget = {
  /**
   * Resolves when the bytes are available. The caller corrects the amount once the size is known, and releases it at
   * the end.
   */
  take(bytes: number): Promise<ReservedBytes>
  heldBytes(): number
}

export type ReservedBytes = { correct(bytes: number): void; giveBack(): void }

export const createByteBudget = (mostBytes: number): ByteBudget => {
  let held = 0
  // The callers bound their own number, so this queue is bounded.
  const waiting: { bytes: number; begin(): void }[] = []

  const hold = (taken: number): ReservedBytes => {
    let bytes = taken
    held += taken
    return {
      correct: (size) => {
        held += size - bytes
        bytes = size
        serve()
      },
      giveBack: () => {
        held -= bytes
        bytes = 0
        serve()
      },
    }
  }

  // A request above the whole budget runs alone instead of never.
  const hasRoom = (bytes: number): boolean => held === 0 || held + bytes <= mostBytes

  const serve = (): void => {
    for (let next = waiting[0]; next && hasRoom(next.bytes); next = waiting[0]) {
      waiting.shift()
      next.begin()
    }
  }

  return {
    take: (bytes) =>
      waiting.length === 0 && hasRoom(bytes)
        ? Promise.resolve(hold(bytes))
        : new Promise((resolve) => waiting.push({ bytes, begin: () => resolve(hold(bytes)) })),
    heldBytes: () => held,
  }
}

/**
 * A byte budget for many holders, each with a share of it. Nobody waits: a caller that does not fit is refused. A
 * holder that holds nothing gets any amount that fits into the budget, or its largest message could never pass.
 */
export type SharedByteBudget = {
  /** Takes bytes for a holder. `factor` stretches both bounds, for callers that can hardly be refused any more. */
  take(holder: string, bytes: number, factor?: number): Reservation
  /** Whether the holder could take one more byte. */
  look(holder: string): Room
  heldBytes(): number
}

export type Room = 'free' | 'share_exhausted' | 'exhausted'

/** `resize` takes or returns the difference, and changes nothing if that does not fit. Giving back twice is harmless. */
export type ReservedShare = { bytes(): number; resize(bytes: number): Room; giveBack(): void }

export type Reservation = { room: 'free'; held: ReservedShare } | { room: Exclude<Room, 'free'> }

export const createSharedByteBudget = (bounds: { maxBytes: number; maxShareBytes: number }): SharedByteBudget => {
  let total = 0
  // Holders without bytes are not kept, so their number is bounded by what is held.
  const shares = new Map<string, number>()

  /** `own`: the part of what is held that `bytes` would replace. */
  const roomFor = (holder: string, bytes: number, { factor, own }: { factor: number; own: number }): Room => {
    const beside = (shares.get(holder) ?? 0) - own
    if (beside > 0 && beside + bytes > bounds.maxShareBytes * factor) return 'share_exhausted'
    return total > own && total - own + bytes > bounds.maxBytes * factor ? 'exhausted' : 'free'
  }

  const add = (holder: string, bytes: number): void => {
    total += bytes
    const share = (shares.get(holder) ?? 0) + bytes
    if (share > 0) shares.set(holder, share)
    else shares.delete(holder)
  }

  const hold = (holder: string, taken: number, factor: number): ReservedShare => {
    let held = taken
    add(holder, held)
    return {
      bytes: () => held,
      resize: (bytes) => {
        const room = bytes > held ? roomFor(holder, bytes, { factor, own: held }) : 'free'
        if (room !== 'free') return room
        add(holder, bytes - held)
        held = bytes
        return 'free'
      },
      giveBack: () => {
        add(holder, -held)
        held = 0
      },
    }
  }

  return {
    take: (holder, bytes, factor = 1) => {
      const room = roomFor(holder, bytes, { factor, own: 0 })
      return room === 'free' ? { room, held: hold(holder, bytes, factor) } : { room }
    },
    look: (holder) => roomFor(holder, 1, { factor: 1, own: 0 }),
    heldBytes: () => total,
  }
}
