import { createHash } from 'node:crypto'
import type { AuditEntry } from '@agent-run-service/sdk'
import { cliBounds } from './bounds.ts'

/** An entry of the log. Its `canonical` text is what the hash covers. */
export type ChainEntry = Omit<AuditEntry, 'object'>

/** The number and the hash of an entry, as somebody kept it: nothing before it can change unnoticed. */
export type ChainHead = { readonly number: number; readonly hash: string }

export type ChainVerdict =
  | { readonly kind: 'intact'; readonly entries: number; readonly head: ChainHead | null }
  | { readonly kind: 'broken'; readonly number: number; readonly reason: string }

/** Entries arrive nearly in order, because concurrent operations get their ids before their numbers. */
const maxWaiting = cliBounds.entriesOutOfOrder.count

/**
 * Follows the chain from the newest entry down to the first one, or to the entry that was kept. Entries are dropped as
 * soon as both neighbours are known, so a log of any length can be verified.
 */
export const verifyChain = async (
  pages: AsyncIterable<readonly ChainEntry[]>,
  kept: ChainHead | null,
): Promise<ChainVerdict> => {
  const waiting = new Map<number, ChainEntry>()
  let head: ChainHead | null = null
  let newer: ChainEntry | null = null
  let entries = 0
  for await (const page of pages) {
    const first: ChainHead | null = head ?? headOf(page)
    head = first
    // A later number was written after the verification began.
    for (const entry of page) if (first && entry.number <= first.number) waiting.set(entry.number, entry)
    for (;;) {
      const number: number = newer === null ? (first?.number ?? 0) : newer.number - 1
      const entry = waiting.get(number)
      if (!entry) break
      waiting.delete(number)
      entries += 1
      const fault = faultOf(entry, newer) ?? (number === kept?.number ? faultOfKept(entry, kept) : null)
      if (fault) return fault
      newer = entry
      if (number === kept?.number) return { kind: 'intact', entries, head }
    }
    if (waiting.size > maxWaiting) break
  }
  if (newer === null) return head === null && kept === null ? intact(head) : missing(head?.number ?? kept?.number ?? 1)
  if (newer.number !== 1) return missing(newer.number - 1)
  if (kept !== null) return missing(kept.number)
  return faultOfHash(newer, firstHash) ?? { kind: 'intact', entries, head }
}

const firstHash = '00'

const intact = (head: ChainHead | null): ChainVerdict => ({ kind: 'intact', entries: 0, head })

const headOf = (page: readonly ChainEntry[]): ChainHead | null => {
  const last = page.toSorted((one, other) => other.number - one.number)[0]
  return last ? { number: last.number, hash: last.hash } : null
}

type Fault = Extract<ChainVerdict, { kind: 'broken' }>

const missing = (number: number): Fault => ({ kind: 'broken', number, reason: 'is missing' })

/** The entry says what its canonical text says, and the newer entry follows from it. */
const faultOf = (entry: ChainEntry, newer: ChainEntry | null): Fault | null => {
  const { number, actor, action, subject, address, request_id, before, after, created_at } = entry
  const shown = [number, actor.type, actor.id, action, subject, address, request_id, before, after]
  const [, , ...hashed] = JSON.parse(entry.canonical) as unknown[]
  const seconds = Number(hashed.pop())
  const isSame = JSON.stringify(hashed) === JSON.stringify(shown)
  // Times are shown in milliseconds and hashed in microseconds.
  if (!isSame || Math.abs(seconds * 1000 - Date.parse(created_at)) > 1)
    return { kind: 'broken', number, reason: 'is altered' }
  return newer && faultOfHash(newer, entry.hash)
}

const faultOfHash = ({ number, hash, canonical }: ChainEntry, before: string): Fault | null => {
  const wanted = createHash('sha256').update(Buffer.from(before, 'hex')).update(canonical, 'utf8').digest('hex')
  return wanted === hash ? null : { kind: 'broken', number, reason: 'is altered' }
}

const faultOfKept = ({ number, hash }: ChainEntry, kept: ChainHead): Fault | null =>
  hash === kept.hash ? null : { kind: 'broken', number, reason: 'has another hash than the one that you kept' }
