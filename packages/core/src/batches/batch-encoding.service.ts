import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { batchLimits, type CreateBatch } from '@ars/contract'
import { canonicalJson } from '@ars/platform/crypto'
import { Fault } from '../fault.ts'
import { batchesBounds } from './bounds.ts'

/** The items of a request as JSON. `pages`: lists, each for one statement. */
export type EncodedItems = {
  fingerprint: Buffer
  bytes: number
  pages: readonly { items: string; count: number }[]
}

/** What one statement stores at most. A larger item is stored alone. */
const itemsPerPage = batchesBounds.itemsStoredTogether.count
const bytesPerPage = batchesBounds.itemsStoredTogether.bytes

/** Encodes and hashes the items. Other requests have their turn after each page: 32 MiB take longer than they may wait. */
export const encodeItems = async ({ items, ...rest }: CreateBatch): Promise<EncodedItems> => {
  const hash = createHash('sha256').update(canonicalJson(rest))
  const pages: { items: string; count: number }[] = []
  let page: string[] = []
  let pageBytes = 0
  let bytes = 0
  const close = (): void => {
    if (page.length > 0) pages.push({ items: `[${page.join(',')}]`, count: page.length })
    page = []
    pageBytes = 0
  }
  for (const item of items) {
    const text = JSON.stringify(item.input)
    const size = Buffer.byteLength(text)
    bytes += size
    if (bytes > batchLimits.batchBytes) {
      throw new Fault('body_too_large', `The items of a batch have at most ${batchLimits.batchBytes} bytes`)
    }
    // The length separates the items.
    hash.update(`\n${size}:`).update(canonicalJson(item))
    if (page.length >= itemsPerPage || pageBytes + size > bytesPerPage) {
      close()
      await nextTurn()
    }
    page.push(`{"input":${text},"custom_id":${JSON.stringify(item.custom_id ?? null)}}`)
    pageBytes += size
  }
  close()
  return { fingerprint: hash.digest(), bytes, pages }
}
