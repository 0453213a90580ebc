import type { Database } from '@ars/platform/db/database'
import { createGather } from '@ars/platform/db/gather'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Load } from '@ars/platform/overload'
import { findCallRoom } from './call.store.ts'
import { nearestRoom, slotOf } from './call.ts'
import { type Accepted, acceptRuns, type NewRun, slotFullCode } from './run.store.ts'

/** The calls of the month are used up; it has so many seconds left. */
export type Spent = { readonly spentForSeconds: number }

/** Null: not accepted, for a reason that the caller looks for. 'full': too many wait already. */
export type Verdict = Accepted | 'full' | Spent | null

type Deps = { app: Database; load?: Load; relayAfterMs: number; cellSlots: number }

/** How many runs of one organisation are accepted by one statement, and how many such statements are under way. */
const gathering = { most: 32, underWay: 1, keyOf: (run: NewRun) => run.idempotency?.key } as const

/** Organisations that are remembered to have full slots. One that is forgotten is found out again. */
const shortOnesMost = 10_000

/** Whoever loses the last call of a slot looks again. Each loss is somebody's call, so it cannot go on for long. */
const looksMost = 200

/** What became of one run of a batch: others of the batch may have been accepted when it fails. */
type Answered = { verdict: Verdict } | { error: unknown }

/**
 * Accepts runs within the calls of the month, many of one organisation in one statement. The statement itself holds its
 * slot of the counter to its share; here a slot with room is looked for when it was full. So nobody pays for the quota
 * until it is nearly used up, and nobody is refused while a call is left.
 */
export const createAccept = (deps: Deps): ((org: string, run: NewRun) => Promise<Verdict>) => {
  // Organisations some of whose slots are full: they look before they try, because a try that fails is work for nothing.
  const shortOnes = new Set<string>()

  const noteShort = (org: string): void => {
    if (shortOnes.size >= shortOnesMost) shortOnes.delete(shortOnes.values().next().value as string)
    shortOnes.add(org)
  }

  /** Null: the slot has not so many calls left, and nothing was done. */
  const tryIn = async (slot: number, org: string, runs: readonly NewRun[]): Promise<Answered[] | null> => {
    try {
      const verdicts = await acceptRuns(deps.app, org, runs, { ...deps, callSlot: slot })
      return verdicts.map((verdict) => ({ verdict }))
    } catch (error) {
      if (!isSlotFull(error)) throw error
      noteShort(org)
      return null
    }
  }

  /** As many as one slot takes, or the word that there is none. Null: somebody was quicker. */
  const acceptSome = async (org: string, runs: readonly NewRun[]): Promise<Answered[] | null> => {
    const { rooms, secondsLeft } = await findCallRoom(deps.app, org)
    if (rooms.every(({ room }) => room > 0)) shortOnes.delete(org)
    const place = nearestRoom(rooms, ownSlot(runs))
    if (!place) return runs.map(() => ({ verdict: { spentForSeconds: secondsLeft } }))
    return tryIn(place.slot, org, runs.slice(0, place.room))
  }

  const acceptPiecemeal = async (org: string, runs: readonly NewRun[]): Promise<Answered[]> => {
    const answered: Answered[] = []
    let most = runs.length
    for (let looks = 0; answered.length < runs.length; looks++) {
      const rest = runs.slice(answered.length)
      const next = rest.slice(0, most)
      try {
        if (looks >= looksMost) throw new DatabaseUnavailable('The last calls of the month are contended')
        answered.push(...((await acceptSome(org, next)) ?? []))
      } catch (error) {
        // One bad row must not cost the others theirs: from here on each goes alone, and the bad one fails alone.
        if (error instanceof DatabaseUnavailable) answered.push(...rest.map(() => ({ error })))
        else if (next.length === 1) answered.push({ error })
        else most = 1
      }
    }
    return answered
  }

  const gathered = createGather<NewRun, Answered>({
    ...gathering,
    ...(deps.load && { load: deps.load }),
    flush: async (org, runs) => {
      const answered = shortOnes.has(org) ? null : await tryIn(ownSlot(runs), org, runs)
      return answered ?? acceptPiecemeal(org, runs)
    },
  })

  return async (org, run) => {
    const answered = await gathered(org, run)
    if ('error' in answered) throw answered.error
    return answered.verdict
  }
}

const isSlotFull = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === slotFullCode

const ownSlot = ([first]: readonly NewRun[]): number => slotOf(first?.id ?? '00')
