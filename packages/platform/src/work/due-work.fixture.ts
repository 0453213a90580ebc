import { systemClock } from '../clock.ts'
import { createLog } from '../log/log.ts'
import type { ClaimedItem, Turn, TurnEnd, WorkQueue } from './queue.ts'
import { createTurns } from './turn.ts'
import { createUse } from './use.ts'

const log = createLog({ level: 'silent' })

/** A turn of an item that a test holds. */
export const openTurn = (over: Partial<Turn> = {}): Turn => ({
  signal: new AbortController().signal,
  mayGoOn: () => true,
  takeBytes: async () => ({ correct: () => undefined }),
  ...over,
})

/** Works on everything that is due, as loops do, until nothing is. Answers how the turns ended. */
export const workDue = async <Item extends ClaimedItem>(
  queue: WorkQueue<Item>,
  { count = 8, perOrg = 2 } = {},
): Promise<TurnEnd[]> => {
  const bounds = { turnMs: 600_000, maxTries: 5 }
  const use = createUse(systemClock)
  const play = createTurns(queue, bounds, {
    ...{ clock: systemClock, log },
    isDraining: () => false,
    onRest: (org, ms) => use.rest(org, ms),
  })
  const ends: TurnEnd[] = []
  while (true) {
    const { items } = await queue.claim({ count, heavyCount: count, perOrg, uses: use.list(), leaseSeconds: 30 })
    if (items.length === 0) return ends
    const places = items.map((item) => ({ item, startedMs: systemClock.monotonicMs(), abort: new AbortController() }))
    // One that cannot be given back waits for the end of its lease.
    ends.push(...(await Promise.all(places.map((place) => play(place).catch(() => 'failed' as const)))))
  }
}
