import { platformBounds } from '../bounds.ts'
import type { Clock } from '../clock.ts'
import type { Log } from '../log/log.ts'
import type { ClaimedItem, TurnEnd, WorkBounds, WorkMetrics, WorkQueue } from './queue.ts'
import { createTurns, LeaseLost, type Place } from './turn.ts'
import { createUse, type OrgUse } from './use.ts'

export type WorkLoop = {
  start(): void
  /** Looks for due items at once. Cheap, and safe to call at any time. */
  nudge(): void
  /** Holds nothing more. Turns under way are asked to end. */
  drain(): void
  isIdle(): boolean
  uses(): readonly OrgUse[]
}

type Deps = { clock: Clock; log: Log; metrics: WorkMetrics }

class TurnTooLong extends Error {}

const maxTurns = platformBounds.turnLengths.count
const renewalsPerLease = 3

/**
 * Works on the rows of one queue, fairly: a place that becomes free is filled at once and waits for no other, organisations that used
 * little lately come first, and an item that makes no progress ends. Many processes may run the loop of one queue.
 */
export const createWorkLoop = <Item extends ClaimedItem>(
  queue: WorkQueue<Item>,
  bounds: WorkBounds,
  { clock, log, metrics }: Deps,
): WorkLoop => {
  const { places: maxPlaces, keptPlaces, perOrg, turnMs, leaseSeconds, gather } = bounds
  const places = new Set<Place<Item>>()
  const use = createUse(clock)
  let isStarted = false
  let isDraining = false
  let isLooking = false
  let mustLook = false
  let isNudged = false
  let isMore = false
  let isRenewing = false
  let gathering: NodeJS.Timeout | undefined
  const play = createTurns(queue, bounds, { clock, log, isDraining: () => isDraining, onRest: use.rest })

  const look = async (): Promise<void> => {
    while (mustLook && !isDraining && places.size < maxPlaces) {
      mustLook = false
      const isByTimer = !isNudged
      isNudged = false
      const count = maxPlaces - places.size
      const heavyCount = Math.max(0, count - keptPlaces)
      const claimed = await queue.claim({ count, heavyCount, perOrg, uses: use.list(), leaseSeconds, isByTimer })
      const { items } = claimed
      isMore = claimed.isMore
      // The next claim leaves out the organisations that have their places now.
      if (isMore && items.length > 0) nudge()
      for (const item of items) void hold(item)
    }
  }

  const nudge = (): void => {
    isNudged = true
    lookSoon()
  }

  const lookSoon = (): void => {
    mustLook = true
    if (!isStarted || isLooking || isDraining || places.size >= maxPlaces) return
    isLooking = true
    look()
      .catch((error: unknown) => {
        mustLook = false
        log.warn('due items could not be looked for', { queue: queue.name, error })
      })
      .finally(() => {
        isLooking = false
        if (mustLook) lookSoon()
      })
  }

  const nudgeSoon = (): void => {
    if (gather !== undefined && places.size >= gather.from) {
      gathering ??= setTimeout(() => {
        gathering = undefined
        nudge()
      }, gather.ms)
    } else nudge()
  }

  /** From the claim to the end of the turn. It never rejects: the lease of an item that cannot be given back ends. */
  const hold = async (item: Item): Promise<void> => {
    // A process that stood still may claim again what it still works on. The older claim stores nothing more.
    for (const older of places) if (older.item.id === item.id) older.abort.abort(new LeaseLost())
    const place: Place<Item> = { item, startedMs: clock.monotonicMs(), abort: new AbortController() }
    places.add(place)
    use.begin(item.org)
    let end: TurnEnd = 'failed'
    try {
      end = await play(place)
    } catch (error) {
      log.warn('an item could not be given back', { queue: queue.name, org_id: item.org, item: item.id, error })
    }
    // Something may have found no place because of this one. Otherwise the next look is that of the timer.
    const wasTight = places.size >= maxPlaces - keptPlaces || use.placesOf(item.org) >= perOrg
    places.delete(place)
    use.end(item.org)
    if (isDraining && places.size === 0) clearInterval(renewTimer)
    metrics.onTurn(queue.name, end, { org: item.org, turnMs: clock.monotonicMs() - place.startedMs, lagMs: item.lagMs })
    if (mustLook || isMore || wasTight || end === 'again') nudgeSoon()
  }

  const renew = async (): Promise<void> => {
    const held = [...places].filter(({ abort }) => !abort.signal.aborted)
    const nowMs = clock.monotonicMs()
    for (const { startedMs, abort } of held) if (nowMs - startedMs >= maxTurns * turnMs) abort.abort(new TurnTooLong())
    const ours = held.filter(({ abort }) => !abort.signal.aborted)
    if (ours.length === 0) return
    const kept = await queue.renew(
      ours.map(({ item }) => item),
      leaseSeconds,
    )
    for (const place of ours) if (places.has(place) && !kept.has(place.item.id)) place.abort.abort(new LeaseLost())
  }

  const renewSafely = (): void => {
    if (isRenewing) return
    isRenewing = true
    renew()
      .catch((error: unknown) => log.warn('leases could not be prolonged', { queue: queue.name, error }))
      .finally(() => {
        isRenewing = false
      })
  }

  let idleTimer: NodeJS.Timeout | undefined
  let renewTimer: NodeJS.Timeout | undefined

  return {
    start: () => {
      isStarted = true
      idleTimer = setInterval(lookSoon, bounds.idleMs)
      // Also the resolution at which turns are aborted.
      renewTimer = setInterval(renewSafely, Math.min(turnMs, (leaseSeconds * 1_000) / renewalsPerLease))
      nudge()
    },
    nudge,
    drain: () => {
      isDraining = true
      clearInterval(idleTimer)
      clearTimeout(gathering)
      if (places.size === 0) clearInterval(renewTimer)
    },
    isIdle: () => places.size === 0 && !isLooking,
    uses: use.list,
  }
}
