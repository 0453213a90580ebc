import { platformBounds } from '../bounds.ts'
import type { ReservedBytes } from '../byte-budget.ts'
import type { OrgUse } from './use.ts'

/** A row that this process holds until its lease ends. `claim` is the fence of everything that the holder stores. */
export type ClaimedItem = {
  readonly org: string
  readonly id: string
  readonly claim: string
  /** Turns in a row that ended by the item's own time, memory or error. */
  readonly tries: number
  /** How long the item was due before it was claimed. */
  readonly lagMs: number
}

export type ClaimAsk = {
  /** Items at most. */
  count: number
  /** Those places of `count` that organisations with much use may take. The others stay free for organisations with little. */
  heavyCount: number
  /** Items of one organisation at most, in this process. */
  perOrg: number
  /** Organisations that hold places in this process, or used it lately. */
  uses: readonly OrgUse[]
  leaseSeconds: number
  /** Nobody has nudged: probably nothing is due. */
  isByTimer?: boolean
}

export type Claimed<Item> = {
  readonly items: readonly Item[]
  /** Due items were left for want of a place. */
  readonly isMore: boolean
}

/** One kind of work of many organisations: rows that become due. */
export type WorkQueue<Item extends ClaimedItem> = {
  readonly name: string
  /** Holds due items: those of the organisations with the least use first, then the oldest. */
  claim(ask: ClaimAsk): Promise<Claimed<Item>>
  /** Prolongs the leases, in one statement. Answers the ids of the items that are still held. */
  renew(items: readonly Item[], leaseSeconds: number): Promise<ReadonlySet<string>>
  /** One turn. It stores its progress under `claim`, and returns when the time of the turn is used. */
  work(item: Item, turn: Turn): Promise<Outcome>
  /** Compare-and-set on `claim`: the item is due again after this time, or when something wakes it. */
  giveBack(item: Item, back: { afterMs: number; tries: number }): Promise<void>
  /** Ends an item that failed `maxTries` times in a row, with an error that its customer sees. */
  bury(item: Item): Promise<void>
}

export type Turn = {
  /** Aborts when the item is no longer held, or the turn takes three times its time. */
  readonly signal: AbortSignal
  /** False: store what is done, and return `again`. */
  mayGoOn(): boolean
  /** Waits until the process has room for these bytes. They are given back when the turn ends. */
  takeBytes(bytes: number): Promise<Pick<ReservedBytes, 'correct'>>
}

/**
 * `done`: the item has ended, or the turn itself gave it back. `later`: it waits for something else, such as a place in a queue. `again`:
 * there is more to do at once.
 */
export type Outcome = (
  | { kind: 'done' }
  | { kind: 'again'; progressed: boolean }
  | { kind: 'later'; afterMs: number; progressed: boolean }
) & {
  /** So long this process takes nothing more of the organisation: the rest of its items would be refused too. */
  restMs?: number
}

export type WorkBounds = {
  /** Items that this process holds at once. */
  places: number
  /** Those of them that stay free for organisations that used little lately. */
  keptPlaces: number
  /** Places of one organisation. */
  perOrg: number
  /** A turn is asked to end after this time, and aborted after three times as long. */
  turnMs: number
  leaseSeconds: number
  maxTries: number
  /** Bytes that the turns of this process hold at once. */
  maxBytes?: number
  /** From this many items on, places that become free are gathered for a while: one claim for many costs little more than for one. */
  gather?: { from: number; ms: number }
  /** Looks for due items without being nudged. */
  idleMs: number
}

export const usualBounds = {
  turnMs: platformBounds.turn.ms,
  leaseSeconds: platformBounds.workLease.seconds,
  maxTries: platformBounds.workTries.count,
  idleMs: 1_000,
} as const

export type TurnEnd = Outcome['kind'] | 'failed' | 'unavailable' | 'lost' | 'buried'

export type WorkMetrics = {
  /** `lagMs`: from the time at which the item was due to the begin of its turn. */
  onTurn(queue: string, end: TurnEnd, turn: { org: string; turnMs: number; lagMs: number }): void
}
