import { z } from 'zod'
import { limits } from './limits.ts'

/** All lists look alike: newest first, paged by id. */
export const listOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .object({
      object: z.literal('list'),
      data: z.array(item),
      has_more: z.boolean(),
      first_id: z.string().nullable(),
      last_id: z.string().nullable(),
    })
    .meta({ id })

/** A whole number as a query carries it: digits and nothing else, so that `1e2` and ` 5` are refused. */
const pageSize = z
  .string()
  .regex(/^[0-9]{1,9}$/, 'must be a whole number')
  .transform(Number)
  .pipe(z.number().int().min(1).max(limits.pageSizeMax))

export const Paging = <Id extends z.ZodType>(id: Id) => ({
  // For the document it is the number that the digits stand for.
  limit: pageSize.optional().meta({
    type: 'integer',
    minimum: 1,
    maximum: limits.pageSizeMax,
    default: limits.pageSizeDefault,
    description: `How many at the most, 1 to ${limits.pageSizeMax}; ${limits.pageSizeDefault} unless told.`,
  }),
  after: id.optional().meta({ description: 'The page that follows this id.' }),
  before: id.optional().meta({ description: 'The page that precedes this id.' }),
})

/** A moment of a filter. Nothing is older than the time that an id can tell. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => new Date(text).getTime() >= 0, 'must not lie before 1970')
