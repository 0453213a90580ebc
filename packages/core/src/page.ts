import { limits } from '@ars/contract'
import { Fault } from './fault.ts'

/**
 * Cuts a page out of rows that were read one beyond its size, so that `has_more` needs no second query. `isCut`: the
 * rows ended early by bytes.
 */
export const toList = <Item extends { id: string }>(
  rows: readonly Item[],
  page: { limit?: number | undefined; before?: string | undefined },
  { isCut = false } = {},
): { object: 'list'; data: Item[]; has_more: boolean; first_id: string | null; last_id: string | null } => {
  const size = pageSize(page)
  const kept = rows.slice(0, size)
  const data = page.before === undefined ? kept : kept.toReversed()
  return {
    object: 'list',
    data,
    has_more: isCut || rows.length > size,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

export const pageSize = (page: { limit?: number | undefined }): number => page.limit ?? limits.pageSizeDefault

/** The time range of a list. A range that ends before it begins is an error, not an empty list. */
export const createdWithin = (page: {
  created_after?: string | undefined
  created_before?: string | undefined
}): { createdAfter: Date | null; createdBefore: Date | null } => {
  const createdAfter = page.created_after === undefined ? null : new Date(page.created_after)
  const createdBefore = page.created_before === undefined ? null : new Date(page.created_before)
  if (createdAfter && createdBefore && createdAfter > createdBefore) {
    throw new Fault('invalid_request', 'created_after is later than created_before.', { param: 'created_after' })
  }
  return { createdAfter, createdBefore }
}
