import type { Database } from '@ars/platform/db/database'
import { auditBounds } from './bounds.ts'
import { type ChainEnd, findChainEnd, type Link, listLinks, listOrganisations } from './chain.store.ts'

/**
 * The state of an organisation's log. `head` is the hash of its last entry. A copy of it that is kept elsewhere
 * proves later that no earlier entry was changed, even by somebody who can write to the database.
 */
export type AuditVerdict = { entries: number; head: string; broken: Break | null }

/** The first number at which the chain is broken. */
export type Break = { number: number; reason: 'missing' | 'altered' | 'beyond the end' }

const pageSize = auditBounds.entriesTogether.count
const firstHash = Buffer.from([0])

/** Reads the chain in pages, from its first entry to the end that it had at the start. For the role `ars_system`. */
export const verifyAudit = async (db: Database, org: string): Promise<AuditVerdict> => {
  const end = await findChainEnd(db, org)
  let at = 0
  let hash: Buffer = firstHash
  const verdict = (broken: Break | null): AuditVerdict => ({ entries: end.number, head: hash.toString('hex'), broken })
  while (at < end.number) {
    const until = Math.min(at + pageSize, end.number)
    const links = await listLinks(db, org, { after: at, hash, until })
    const broken = findBreak(links, { after: at, until })
    if (broken) return verdict(broken)
    hash = links.at(-1)?.hash ?? hash
    at = until
  }
  return verdict(breakAtEnd(end, hash))
}

/** All organisations whose logs can be checked, in pages. */
export const auditedOrganisations = async function* (db: Database): AsyncGenerator<string> {
  let after: string | null = null
  for (;;) {
    const page: string[] = await listOrganisations(db, after, pageSize)
    yield* page
    after = page.at(-1) ?? null
    if (page.length < pageSize) return
  }
}

const findBreak = (links: readonly Link[], { after, until }: { after: number; until: number }): Break | null => {
  let expected = after + 1
  for (const { number, fits } of links) {
    if (number !== expected) return { number: expected, reason: 'missing' }
    if (!fits) return { number, reason: 'altered' }
    expected += 1
  }
  return expected <= until ? { number: expected, reason: 'missing' } : null
}

const breakAtEnd = (end: ChainEnd, hash: Buffer): Break | null => {
  if (end.lastNumber > end.number) return { number: end.number + 1, reason: 'beyond the end' }
  return end.number > 0 && end.hash?.equals(hash) !== true ? { number: end.number, reason: 'altered' } : null
}
