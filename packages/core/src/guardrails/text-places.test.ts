import { contract, type Operation } from '@ars/contract'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { enteringText } from './text-places.ts'

type JsonSchema = {
  $ref?: string
  $defs?: Record<string, JsonSchema>
  enum?: unknown
  const?: unknown
  anyOf?: JsonSchema[]
  oneOf?: JsonSchema[]
  allOf?: JsonSchema[]
  type?: string | string[]
  format?: string
  pattern?: string
  items?: JsonSchema
  properties?: Record<string, JsonSchema>
  additionalProperties?: JsonSchema | boolean
}

/** Whether the schema admits a text that nobody has chosen from a list or made by a rule. */
const admitsText = (schema: JsonSchema, defs: Record<string, JsonSchema>, above: readonly string[] = []): boolean => {
  const admits = (each: JsonSchema): boolean => admitsText(each, defs, above)
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) ?? ''
    return !above.includes(name) && admitsText(defs[name] ?? {}, defs, [...above, name])
  }
  if (schema.enum !== undefined || schema.const !== undefined) return false
  const choices = schema.anyOf ?? schema.oneOf
  if (choices) return choices.some(admits)
  if (schema.allOf) return schema.allOf.every(admits)
  if (Array.isArray(schema.type)) return schema.type.some((type) => admits({ ...schema, type }))
  switch (schema.type) {
    case undefined:
      return true
    case 'string':
      return schema.format !== 'date-time' && isOpen(schema.pattern)
    case 'array':
      return admits(schema.items ?? {})
    case 'object': {
      const { properties = {}, additionalProperties: more = true } = schema
      const isMoreOpen = typeof more === 'boolean' ? more : admits(more)
      return isMoreOpen || Object.values(properties).some(admits)
    }
    default:
      return false
  }
}

const words = ['quetzalcoatl', 'quetzalcoatl@example.com', 'https://quetzalcoatl.example.com/']

/** A pattern that lets any word through says nothing about the text. */
const isOpen = (pattern: string | undefined): boolean =>
  pattern === undefined || words.some((word) => new RegExp(pattern, 'u').test(word))

const textFieldsOf = ({ input }: Pick<Operation, 'input'>): string[] => {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as JsonSchema
  const defs = schema.$defs ?? {}
  const whole = schema.$ref === undefined ? schema : (defs[schema.$ref.split('/').at(-1) ?? ''] ?? {})
  return Object.entries(whole.properties ?? {}).flatMap(([name, field]) => (admitsText(field, defs) ? [name] : []))
}

test('every field of a request that can hold any text says who judges it, and no other field does', () => {
  const fields = Object.entries(contract).flatMap(([resource, operations]) =>
    Object.entries<Operation>(operations).flatMap(([name, operation]) =>
      textFieldsOf(operation).map((field) => `${resource}.${name} ${field}`),
    ),
  )
  const listed = Object.values(enteringText).flatMap((lines) =>
    lines.flatMap((line) => {
      const [operation, ...names] = line.split(' ')
      return names.map((name) => `${operation} ${name}`)
    }),
  )
  // Of a field with several texts one may be judged, and another not.
  const twice = listed.filter((field, at) => listed.indexOf(field) !== at)
  expect(twice).toEqual(['batches.create items'])
  expect([...new Set(listed)].toSorted()).toEqual(fields.toSorted())
})

test('a new field is found if it can hold any text, however deep', () => {
  const input = z.strictObject({
    title: z.string().max(80),
    labels: z.record(z.string(), z.string()).optional(),
    parts: z.array(z.strictObject({ size: z.int(), note: z.string().nullable() })),
    to: z.string().regex(/^\S+@\S+$/),
    size: z.enum(['small', 'large']),
    code: z.string().regex(/^[A-Z]{3}$/),
    at: z.iso.datetime(),
    count: z.int(),
  })
  expect(textFieldsOf({ input })).toEqual(['title', 'labels', 'parts', 'to'])
})
