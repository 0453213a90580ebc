import { type Document, resolve, type Schema } from './document.ts'

/** One form of a value, with all its constraints in one place, and its component. */
export type Variant = { readonly type: string; readonly schema: Schema; readonly $ref?: string }

/**
 * A schema as a list of forms of one type each, so that `type: [object, null]`, `anyOf: [reference, null]` and `oneOf`
 * of the same parts compare as equal.
 */
export const variantsOf = (document: Document, schema: Schema, under: readonly Schema[] = []): Variant[] => {
  const whole = resolve<Schema>(document, schema)
  // A recursive form adds nothing to the list.
  if (under.includes(whole)) return []
  const deeper = [...under, whole]
  const { allOf, anyOf, oneOf, ...own } = whole
  if (allOf)
    return allOf.reduce((variants, part) => both(variants, variantsOf(document, part, deeper)), splitByType(own))
  const options = (anyOf ?? oneOf)?.flatMap(({ $ref, ...option }) => {
    if ($ref === undefined) return variantsOf(document, option, deeper)
    return variantsOf(document, { $ref }, deeper).map((variant) => ({ $ref, ...variant }))
  })
  if (options) return Object.keys(own).every(isRemark) ? options : both(splitByType(own), options)
  return splitByType(own)
}

/** Whether a value of the first kind is accepted where the second is expected. */
export const accepts = (taker: Variant, given: Variant): boolean =>
  taker.type === 'any' || taker.type === given.type || (taker.type === 'number' && given.type === 'integer')

/** Keywords that describe a value without constraining it. */
const isRemark = (keyword: string): boolean => ['description', 'title', 'default', 'examples'].includes(keyword)

const splitByType = (schema: Schema): Variant[] => {
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const])
  const types = [schema.type ?? (values ? [...new Set(values.map(typeOf))] : 'any')].flat()
  return types.map((type) => {
    if (!values) return { type, schema }
    const fitting = values.filter((value) => accepts({ type, schema }, { type: typeOf(value), schema }))
    return { type, schema: { ...schema, enum: fitting } }
  })
}

const typeOf = (value: unknown): string => {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isInteger(value) ? 'integer' : typeof value
}

/** The intersection of both sides: each form of one joined with each compatible form of the other. */
const both = (left: readonly Variant[], right: readonly Variant[]): Variant[] =>
  left.flatMap((one) =>
    right.flatMap((other) => {
      if (accepts(one, other)) return [{ type: other.type, schema: join(one.schema, other.schema) }]
      return accepts(other, one) ? [{ type: one.type, schema: join(one.schema, other.schema) }] : []
    }),
  )

const join = (one: Schema, other: Schema): Schema => ({
  ...one,
  ...other,
  ...(one.properties && other.properties && { properties: { ...one.properties, ...other.properties } }),
  ...(one.required && other.required && { required: [...new Set([...one.required, ...other.required])] }),
})
