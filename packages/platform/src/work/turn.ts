import { platformBounds } from '../bounds.ts'
import { createByteBudget, type ReservedBytes } from '../byte-budget.ts'
import type { Clock } from '../clock.ts'
import { DatabaseUnavailable } from '../db/unavailable.ts'
import type { Log } from '../log/log.ts'
import type { ClaimedItem, Outcome, TurnEnd, WorkBounds, WorkQueue } from './queue.ts'

/** The item is held by another worker, or its lease ended. */
export class LeaseLost extends Error {}

/** An item in its place. */
export type Place<Item> = { readonly item: Item; readonly startedMs: number; readonly abort: AbortController }

type Deps = {
  clock: Clock
  log: Log
  isDraining(): boolean
  /** The organisation takes no further place for this time. */
  onRest(org: string, ms: number): void
}

/** A turn that goes on after its abort loses its place after this time. Whatever it stores then, its claim refuses. */
const graceMs = 5_000
/** After an outage of a part that the item needs. It does not count against the item. */
const outagePauseMs = 5_000
const maxPauseMs = platformBounds.workPause.ms

export const pauseMsOf = (tries: number): number => Math.min(1_000 * 2 ** Math.max(0, tries - 1), maxPauseMs)

/** Plays turns: from the claim until the item was given back, or has ended. Rejects only if it cannot be given back. */
export const createTurns = <Item extends ClaimedItem>(
  queue: WorkQueue<Item>,
  { turnMs, maxTries, maxBytes = Number.POSITIVE_INFINITY }: Pick<WorkBounds, 'turnMs' | 'maxTries' | 'maxBytes'>,
  { clock, log, isDraining, onRest }: Deps,
): ((place: Place<Item>) => Promise<TurnEnd>) => {
  const budget = createByteBudget(maxBytes)

  const fail = async (item: Item): Promise<TurnEnd> => {
    const tries = item.tries + 1
    if (tries >= maxTries) {
      await queue.bury(item)
      return 'buried'
    }
    await queue.giveBack(item, { afterMs: pauseMsOf(tries), tries })
    return 'failed'
  }

  const endOf = async (item: Item, outcome: Outcome): Promise<TurnEnd> => {
    if (outcome.restMs !== undefined) onRest(item.org, outcome.restMs)
    if (outcome.kind === 'done') return 'done'
    if (outcome.kind === 'again' && !outcome.progressed) return fail(item)
    const afterMs = outcome.kind === 'later' ? outcome.afterMs : 0
    await queue.giveBack(item, { afterMs, tries: outcome.progressed ? 0 : item.tries })
    return outcome.kind
  }

  /** A turn that does not listen to its signal ends here all the same. */
  const outcomeOf = async ({ item, startedMs, abort: { signal } }: Place<Item>): Promise<Outcome> => {
    let timer: NodeJS.Timeout | undefined
    const isOver = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        timer = setTimeout(() => reject(signal.reason), graceMs)
      })
    })
    const mayGoOn = (): boolean => !isDraining() && !signal.aborted && clock.monotonicMs() - startedMs < turnMs
    const held: ReservedBytes[] = []
    let hasEnded = false
    const takeBytes = async (bytes: number): Promise<ReservedBytes> => {
      const taken = await budget.take(bytes)
      if (hasEnded) taken.giveBack()
      else held.push(taken)
      return taken
    }
    try {
      return await Promise.race([queue.work(item, { signal, mayGoOn, takeBytes }), isOver])
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      clearTimeout(timer)
      hasEnded = true
      for (const taken of held) taken.giveBack()
    }
  }

  return async (place) => {
    const { item } = place
    const facts = { queue: queue.name, org_id: item.org, item: item.id, tries: item.tries }
    try {
      return await endOf(item, await outcomeOf(place))
    } catch (error) {
      if (error instanceof LeaseLost) return 'lost'
      if (error instanceof DatabaseUnavailable) {
        log.warn('an item waits for the database', { ...facts, error })
        await queue.giveBack(item, { afterMs: outagePauseMs, tries: item.tries })
        return 'unavailable'
      }
      log.error('a turn of an item failed', { ...facts, error })
      return fail(item)
    }
  }
}
