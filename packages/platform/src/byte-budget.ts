/** How much may be held at once, counted in bytes. Whoever comes when there is no room waits, the longest waiting first. */
export type ByteBudget = {
  /** Resolves when there is room. Whoever took it corrects it once the size is known, and gives it back in the end. */
  take(bytes: number): Promise<Held>
  heldBytes(): number
}

export type Held = { correct(bytes: number): void; giveBack(): void }

export const createByteBudget = (mostBytes: number): ByteBudget => {
  let held = 0
  // Bounded by whoever takes: nobody waits here who could come in endless number.
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

  // One that is larger than everything goes alone rather than never.
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
