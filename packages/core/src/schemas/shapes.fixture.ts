import { limits } from '@ars/contract'

type Schema = Record<string, unknown>

/** Doubles with every level: a schema of n levels has 2ⁿ paths. */
export const referenceBomb = (levels: number): Schema => {
  const $defs: Schema = { d0: { type: 'object' } }
  for (let level = 1; level <= levels; level++) {
    const below = { $ref: `#/$defs/d${level - 1}` }
    $defs[`d${level}`] = { allOf: [below, below].map((each) => ({ ...each })) }
  }
  return { $defs, $ref: `#/$defs/d${levels}` }
}

const listOf = (length: number, make: (at: number) => unknown): unknown[] => Array.from({ length }, (_, at) => make(at))
const mapOf = (length: number, make: (at: number) => unknown): Schema =>
  Object.fromEntries(listOf(length, make).map((each, at) => [`p${at}`, each]))

/** Schemas that take long to compile, by their number of parts. */
export const compileBombs: Readonly<Record<string, (parts: number) => Schema>> = {
  properties: (parts) => ({ type: 'object', properties: mapOf(parts, () => ({ type: 'string', minLength: 1 })) }),
  propertiesAny: (parts) => ({ properties: mapOf(parts / 3, () => ({ anyOf: [{ minLength: 1 }, { minimum: 1 }] })) }),
  oneOf: (parts) => ({ oneOf: listOf(parts, (at) => ({ const: at })) }),
  oneOfUnevaluated: (parts) => ({
    unevaluatedProperties: false,
    oneOf: listOf(parts / 2, (at) => ({ properties: { [`a${at}`]: {} } })),
  }),
  anyOfRequired: (parts) => ({ anyOf: listOf(parts, (at) => ({ required: [`a${at}`] })) }),
  references: (parts) => ({
    $defs: mapOf(parts / 2, (at) => ({ minLength: at })),
    allOf: listOf(parts / 2, (at) => ({ $ref: `#/$defs/p${at}` })),
  }),
  conditions: (parts) => ({ allOf: listOf(parts / 4, () => ({ if: {}, ...thenElse })) }),
  patternProperties: (parts) => ({ patternProperties: mapOf(parts, () => ({ minLength: 1 })) }),
  contains: (parts) => ({ allOf: listOf(parts / 2, (at) => ({ contains: { const: at } })) }),
}

const thenElse = JSON.parse('{"then":{},"else":{}}') as Schema

/** The largest variant of a bomb that is not refused by its weight. */
export const largestOf = (make: (parts: number) => Schema): Schema => make(limits.schemaSubschemas - 2)
