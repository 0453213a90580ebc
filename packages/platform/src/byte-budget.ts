/** A semaphore counted in bytes. Callers wait while the budget is used up and are served in order. */
export type ByteBudget = {
  /**
   * Resolves when the bytes are available. The caller corrects the amount once the size is known, and releases it at
   * the end.
   */
  take(bytes: number): Promise<Held>
  heldBytes(): number
}

export type Held = { correct(bytes: number): void; giveBack(): void }

export const createByteBudget = (mostBytes: number): ByteBudget => {
  let held = 0
  // The callers bound their own number, so this queue is bounded.
  const waiting: { bytes: number; begin(): void }[] = []

  const hold = (taken: number): Held => {
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
