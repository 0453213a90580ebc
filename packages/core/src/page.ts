import { limits } from '@ars/contract'
import { isCut } from '@ars/platform/db/fitting-page'
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

/** A page of versions. A version has no id, so its number is the cursor of the pages. */
export const toVersionList = <Row extends { version: number; found: number }, Wire>(
  rows: readonly Row[],
  { limit, before }: { limit?: number | undefined; before?: number | undefined },
  toWire: (row: Row) => Wire,
): VersionList<Wire> => {
  const numbered = rows.map((row) => ({ id: String(row.version), wire: toWire(row) }))
  const page = { limit, before: before === undefined ? undefined : String(before) }
  const { data, ...list } = toList(numbered, page, { isCut: isCut(rows) })
  return { ...list, data: data.map(({ wire }) => wire) }
}

export type VersionList<Wire> = Omit<ReturnType<typeof toList>, 'data'> & { data: Wire[] }

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
