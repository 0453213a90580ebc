import { z } from 'zod'
import { limits } from './limits.ts'

/** All lists have the same form: newest first, paged by id. */
export const listOf = <Item extends z.ZodType>(item: Item, id: string) =>
  z
    .object({
      object: z.literal('list'),
      data: z.array(item).meta({ description: 'The items of this page.' }),
      has_more: z.boolean().meta({
        description: 'Whether more items follow.',
      }),
      first_id: z.string().nullable().meta({ description: 'The first id of this page, for `before`.' }),
      last_id: z.string().nullable().meta({ description: 'The last id of this page, for `after`.' }),
    })
    .meta({ id, description: 'One page of a list.' })

/** An integer in a query: digits only, so `1e2` and ` 5` are rejected. */
const pageSize = z
  .string()
  .regex(/^[0-9]{1,9}$/, `must be an integer from 1 to ${limits.pageSizeMax}`)
  .transform(Number)
  .refine((size) => size >= 1 && size <= limits.pageSizeMax, `must be an integer from 1 to ${limits.pageSizeMax}`)

export const Paging = <Id extends z.ZodType>(id: Id) => ({
  // For the document it is the number that the digits stand for.
  limit: pageSize.optional().meta({
    type: 'integer',
    minimum: 1,
    maximum: limits.pageSizeMax,
    default: limits.pageSizeDefault,
    description: `1 to ${limits.pageSizeMax} items.`,
  }),
  after: id.optional().meta({ description: 'The items after this id.' }),
  before: id.optional().meta({ description: 'The items before this id.' }),
})

/** The filters by time that lists have. */
export const createdBetween = () => ({
  created_after: moment.optional().meta({ description: 'Only items that were created at or after this time.' }),
  created_before: moment.optional().meta({ description: 'Only items that were created before this time.' }),
})

/** A time in a filter. Ids cannot represent times before 1970. */
export const moment = z.iso
  .datetime({ offset: true, abort: true })
  .refine((text) => new Date(text).getTime() >= 0, 'must be 1970 or later')

/** One or more values of a filter, separated by commas. */
export const commaList = <Value extends string>(values: readonly Value[], description?: string) => {
  const isValue = (text: string): text is Value => (values as readonly string[]).includes(text)
  const pattern = `(${values.join('|').replaceAll('.', '\\.')})`
  return z
    .string()
    .refine(
      (list) => list.split(',').every(isValue),
      `must be one or more of ${values.join(', ')}, separated by commas`,
    )
    .transform((list) => list.split(',').filter(isValue))
    .meta({
      type: 'string',
      pattern: `^${pattern}(,${pattern})*$`,
      description: description ?? `One or more of ${values.join(', ')}, separated by commas.`,
    })
}

/** One or more ids of a filter, separated by commas. */
export const idList = <Value extends string>(id: z.ZodType<Value, Value>, most: number, description: string) => {
  const isId = (text: string): text is Value => id.safeParse(text).success
  const { type, pattern } = z.toJSONSchema(id)
  return z
    .string()
    .refine((list) => {
      const ids = list.split(',')
      return ids.length <= most && ids.every(isId)
    }, `must be 1 to ${most} ids, separated by commas`)
    .transform((list) => list.split(',').filter(isId))
    .meta({ type: 'array', items: { type, pattern }, minItems: 1, maxItems: most, description })
}

/** The number of a version in a path or a query. */
export const VersionNumber = z
  .string()
  .regex(/^[1-9][0-9]{0,8}$/, 'must be a version number')
  .transform(Number)
  .meta({ type: 'integer', minimum: 1, maximum: limits.versionMax, description: 'The number of a version.' })
