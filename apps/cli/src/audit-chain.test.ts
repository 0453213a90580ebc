import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { type ChainEntry, type ChainHead, verifyChain } from './audit-chain.ts'
import { cliBounds } from './bounds.ts'

/** A log of some entries, newest first. */
const logOf = (count: number): ChainEntry[] => {
  let hash = '00'
  return Array.from({ length: count }, (_, n) => {
    const number = n + 1
    const after = { n: number, name: 'Ä "quoted"' }
    const fields = [number, 'key', 'key_1', 'thing.made', null, '192.0.2.1', 'req_1', null, after]
    const canonical = JSON.stringify([`id-${number}`, 'org', ...fields, '1794733200.123456'])
    hash = createHash('sha256').update(Buffer.from(hash, 'hex')).update(canonical).digest('hex')
    return {
      ...{
        id: `aud-${number}`,
        number,
        hash,
        canonical,
        actor: { type: 'key', id: 'key_1' } as const,
        action: 'thing.made',
      },
      ...{ subject: null, address: '192.0.2.1', request_id: 'req_1', before: null, after },
      created_at: '2026-11-15T09:00:00.123Z',
    } as const
  }).toReversed()
}
const verify = (entries: readonly ChainEntry[], kept: ChainHead | null = null) =>
  verifyChain(
    (async function* () {
      for (let at = 0; at < entries.length; at += 10) yield entries.slice(at, at + 10)
    })(),
    kept,
  )
const headOf = ({ number, hash }: ChainEntry): ChainHead => ({ number, hash })
const change = (log: readonly ChainEntry[], number: number, by: Partial<ChainEntry>) =>
  log.map((entry) => (entry.number === number ? { ...entry, ...by } : entry))

test('an intact log is verified to its first entry, also when neighbours changed places', async () => {
  const log = logOf(35)
  const swapped = log.with(9, log[10] as ChainEntry).with(10, log[9] as ChainEntry)
  for (const entries of [log, swapped])
    expect(await verify(entries)).toEqual({ kind: 'intact', entries: 35, head: headOf(log[0] as ChainEntry) })
  expect(await verify([])).toEqual({ kind: 'intact', entries: 0, head: null })
})

test('a changed, removed or replaced entry is found', async () => {
  const log = logOf(35)
  const other = log[16]?.canonical.replace('thing.made', 'thing.done') ?? ''
  const broken = (number: number, reason: string) => ({ kind: 'broken', number, reason })
  expect(await verify(change(log, 19, { action: 'thing.done' }))).toEqual(broken(19, 'is altered'))
  expect(await verify(change(log, 19, { action: 'thing.done', canonical: other }))).toEqual(broken(19, 'is altered'))
  expect(await verify(change(log, 19, { hash: 'ab'.repeat(32) }))).toMatchObject({ kind: 'broken' })
  expect(await verify(log.filter(({ number }) => number !== 19))).toEqual(broken(19, 'is missing'))
  expect(await verify(log.filter(({ number }) => number > 5))).toEqual(broken(5, 'is missing'))
})

test('a head that was kept is compared, and nothing before it is read', async () => {
  const log = logOf(35)
  const kept = headOf(log[10] as ChainEntry)
  expect(await verify(log.slice(0, 11), kept)).toMatchObject({ kind: 'intact', entries: 11 })
  const reason = 'has another hash than the one that you kept'
  expect(await verify(log, { ...kept, hash: 'ab'.repeat(32) })).toMatchObject({ kind: 'broken', number: 25, reason })
  // The end of the log was cut off after the head was kept.
  expect(await verify(log.slice(20), kept)).toEqual({ kind: 'broken', number: 25, reason: 'is missing' })
})

test('a verification ends when cliBounds.entriesOutOfOrder wait for one that does not come', async () => {
  const log = logOf(cliBounds.entriesOutOfOrder.count + 2_000)
  let read = 0
  const pages = async function* () {
    for (const entry of log.toSpliced(1, 1)) {
      read++
      yield [entry]
    }
  }
  expect(await verifyChain(pages(), null)).toEqual({ kind: 'broken', number: log.length - 1, reason: 'is missing' })
  expect(read).toBe(cliBounds.entriesOutOfOrder.count + 2)
})
