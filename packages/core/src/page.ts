import { limits } from '@ars/contract'

/** Cuts a page out of rows that were read one beyond its size, so that `has_more` needs no second query. */
export const toList = <Item extends { id: string }>(
  rows: readonly Item[],
  page: { limit?: number | undefined; before?: string | undefined },
): { object: 'list'; data: Item[]; has_more: boolean; first_id: string | null; last_id: string | null } => {
  const size = pageSize(page)
  const kept = rows.slice(0, size)
  const data = page.before === undefined ? kept : kept.toReversed()
  return {
    object: 'list',
    data,
    has_more: rows.length > size,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  }
}

export const pageSize = (page: { limit?: number | undefined }): number => page.limit ?? limits.pageSizeDefault
