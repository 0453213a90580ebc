/** Waiting items of several owners. Owners are served by rank and then in turn, the items of one owner in order. */
export type FairQueue<Item> = {
  /** False: the queue, or the owner's share of it, is full. */
  add(owner: string, item: Item, bytes: number): boolean
  /** The next item of the owner with the lowest rank; it then waits behind its equals. Null: it may not run now. */
  take(rankOf: (owner: string) => number | null): { owner: string; item: Item } | null
  /** Removes an item that no longer waits. */
  remove(owner: string, item: Item): void
  owners(): readonly string[]
  size(): number
}

export type QueueBounds = {
  maxItems: number
  maxBytes: number
  maxItemsPerOwner: number
  maxBytesPerOwner: number
}

export const createFairQueue = <Item>(bounds: QueueBounds): FairQueue<Item> => {
  // The order of the map is the order of service.
  const byOwner = new Map<string, { items: { item: Item; bytes: number }[]; bytes: number }>()
  let size = 0
  let bytes = 0

  const leave = (owner: string, at: number): Item | undefined => {
    const queue = byOwner.get(owner)
    const [left] = queue?.items.splice(at, 1) ?? []
    if (!queue || !left) return
    queue.bytes -= left.bytes
    size--
    bytes -= left.bytes
    if (queue.items.length === 0) byOwner.delete(owner)
    return left.item
  }

  return {
    add: (owner, item, itemBytes) => {
      const queue = byOwner.get(owner) ?? { items: [], bytes: 0 }
      const isFull =
        size >= bounds.maxItems ||
        bytes + itemBytes > bounds.maxBytes ||
        queue.items.length >= bounds.maxItemsPerOwner ||
        queue.bytes + itemBytes > bounds.maxBytesPerOwner
      if (isFull) return false
      queue.items.push({ item, bytes: itemBytes })
      queue.bytes += itemBytes
      byOwner.set(owner, queue)
      size++
      bytes += itemBytes
      return true
    },
    take: (rankOf) => {
      let best: { owner: string; rank: number } | undefined
      for (const owner of byOwner.keys()) {
        const rank = rankOf(owner)
        if (rank !== null && (!best || rank < best.rank)) best = { owner, rank }
      }
      if (!best) return null
      const { owner } = best
      const queue = byOwner.get(owner)
      const item = leave(owner, 0) as Item
      if (queue && byOwner.delete(owner)) byOwner.set(owner, queue)
      return { owner, item }
    },
    remove: (owner, item) => {
      const at = byOwner.get(owner)?.items.findIndex((each) => each.item === item) ?? -1
      if (at >= 0) leave(owner, at)
    },
    owners: () => [...byOwner.keys()],
    size: () => size,
  }
}
