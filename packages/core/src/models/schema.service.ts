import { createContext, Script } from 'node:vm'
import type { Clock } from '@ars/platform/clock'
import { canonicalJson } from '@ars/platform/crypto'
import { Ajv, type AnySchema, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * Checks values against JSON Schemas that customers wrote: an agent's input and output, an action's answer. What they
 * write is compiled to code and run by us, so all that can grow is bounded: the size and depth of a schema, what it may
 * refer to (itself alone), and the time that its patterns may take.
 */
export type Schemas = {
  /** What is wrong with the value, each with its place; empty: it fits. */
  check(schema: JsonSchema, value: unknown): string[]
  /** What is wrong with the schema itself; empty: it can be used. For the moment at which a customer hands it in. */
  checkSchema(schema: JsonSchema): string[]
}

export type JsonSchema = Readonly<Record<string, unknown>>

export const schemaLimits = {
  chars: 65_536,
  depth: 64,
  patternChars: 512,
  /** Below both of these a pattern is run as it is; beyond, under a stop-watch. */
  quickPatternValueChars: 128,
  quickPatternQuantifiers: 1,
  patternsTogetherMs: 200,
  problems: 20,
  compiled: 1000,
} as const

type Compiled = { validate: ValidateFunction } | { problems: string[] }

export const createSchemas = (
  clock: Clock,
  // What the operator wrote may take longer than what a customer sent: nobody waits for it, and a start must not fail by chance.
  { patternsTogetherMs = schemaLimits.patternsTogetherMs as number } = {},
): Schemas => {
  const byText = new Map<string, Compiled>()
  // Within one check all patterns share one time.
  let patternsEndAtMs = 0
  const options: Options = {
    ...ajvOptions,
    code: {
      regExp: Object.assign(
        patternWithin(() => patternsEndAtMs - clock.monotonicMs()),
        { code: 'pattern' },
      ),
    },
  }

  const isSchema = createSchemaCheck(options)

  const compiledOf = (schema: JsonSchema): Compiled => {
    const text = JSON.stringify(schema)
    const known = byText.get(text)
    if (known) return known
    patternsEndAtMs = clock.monotonicMs() + patternsTogetherMs
    const compiled = compile(schema, text, { options, isSchema })
    const [oldest] = byText.keys()
    if (byText.size >= schemaLimits.compiled && oldest !== undefined) byText.delete(oldest)
    byText.set(text, compiled)
    return compiled
  }

  return {
    checkSchema: (schema) => {
      const compiled = compiledOf(schema)
      return 'problems' in compiled ? compiled.problems : []
    },
    check: (schema, value) => {
      const compiled = compiledOf(schema)
      if ('problems' in compiled) return compiled.problems
      patternsEndAtMs = clock.monotonicMs() + patternsTogetherMs
      try {
        if (compiled.validate(value)) return []
        return [...new Set((compiled.validate.errors ?? []).map(inWords))].slice(0, schemaLimits.problems)
      } catch (error) {
        if (error instanceof PatternTooSlow) return ['A pattern of the schema takes too long to check this value']
        if (error instanceof RangeError) return ['The value is nested too deeply for the schema']
        throw error
      }
    },
  }
}

// A new Ajv each time: it remembers schemas by their `$id`, and one customer's must not be found by another's `$ref`.
const compile = (
  schema: JsonSchema,
  text: string,
  { options, isSchema }: { options: Options; isSchema: (draft: typeof Ajv, schema: JsonSchema) => void },
): Compiled => {
  if (text.length > schemaLimits.chars)
    return { problems: [`The schema is longer than ${schemaLimits.chars} characters`] }
  if (depthOf(schema) > schemaLimits.depth)
    return { problems: [`The schema is nested deeper than ${schemaLimits.depth}`] }
  try {
    const draft = draftOf(schema.$schema)
    if (!draft) return { problems: ['$schema names a draft that is not known. Use 2020-12, 2019-09 or draft-07'] }
    isSchema(draft, schema)
    return { validate: openAjv(draft, { ...options, validateSchema: false }).compile(schema as AnySchema) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { problems: [`The schema cannot be used: ${error.message.slice(0, 300)}`] }
  }
}

/**
 * Throws for what is no schema. The schemas of schemas are the same for everybody and dear to compile, so each draft's is
 * compiled once; what is checked by it is not remembered.
 */
const createSchemaCheck = (options: Options) => {
  const checkers = new Map<typeof Ajv, Ajv>()
  return (draft: typeof Ajv, schema: JsonSchema): void => {
    const checker = checkers.get(draft) ?? openAjv(draft, options)
    checkers.set(draft, checker)
    void checker.validateSchema(schema as AnySchema, true)
  }
}

const openAjv = (draft: typeof Ajv, options: Options): Ajv => {
  const ajv = new draft(options)
  // Ours is linear; the built-in compares every item with every other.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    validate: hasUniqueItems,
    errors: false,
  })
  return ajv
}

const ajvOptions: Options = {
  allErrors: true,
  // Keywords of tools and forms that mean nothing here are let be.
  strict: false,
  // `format` says what a text is meant as; as in JSON Schema itself, it refuses nothing.
  validateFormats: false,
  // Refs copied into one another could make much code of little schema.
  inlineRefs: false,
  logger: false,
}

const draftOf = (name: unknown): typeof Ajv | undefined => {
  if (name === undefined || (typeof name === 'string' && name.includes('2020-12'))) return Ajv2020 as typeof Ajv
  if (typeof name !== 'string') return
  if (name.includes('2019-09')) return Ajv2019 as typeof Ajv
  return name.includes('draft-07') ? Ajv : undefined
}

const depthOf = (value: unknown, depth = 0): number => {
  if (typeof value !== 'object' || value === null || depth > schemaLimits.depth) return depth
  let deepest = depth
  for (const item of Object.values(value)) deepest = Math.max(deepest, depthOf(item, depth + 1))
  return deepest
}

const hasUniqueItems = (isWanted: boolean, items: unknown[]): boolean =>
  !isWanted || new Set(items.map(canonicalJson)).size === items.length

const inWords = ({ instancePath, message = 'does not fit', keyword, params }: ErrorObject): string => {
  const at = instancePath === '' ? 'the value' : instancePath.slice(1).replaceAll('/', '.')
  const named: unknown = params.additionalProperty ?? params.unevaluatedProperty
  if (typeof named === 'string') return `${at} must not have the property ${named}`
  if (keyword === 'enum') return `${at} must be one of ${JSON.stringify(params.allowedValues).slice(0, 200)}`
  if (keyword === 'uniqueItems') return `${at} must not have the same item twice`
  return `${at} ${message}`
}

class PatternTooSlow extends Error {
  override readonly name = 'PatternTooSlow'
}

/**
 * A pattern may need longer than the universe has (`(a+)+$`), and while it runs nothing else does. One that could, or a
 * long text, runs in a context that is stopped when the time is over: the engine of V8 looks for that when it backtracks.
 */
const patternWithin = (leftMs: () => number) => (source: string, flags: string) => {
  if (source.length > schemaLimits.patternChars) {
    throw new Error(`a pattern is longer than ${schemaLimits.patternChars} characters`)
  }
  const pattern = new RegExp(source, flags)
  const isQuick = (source.match(/[*+}]/g) ?? []).length <= schemaLimits.quickPatternQuantifiers
  return {
    // Ajv knows a pattern by this text; two with the same would be one.
    toString: () => String(pattern),
    test: (text: string): boolean => {
      if (isQuick && text.length <= schemaLimits.quickPatternValueChars) return pattern.test(text)
      const timeout = Math.floor(leftMs())
      if (timeout < 1) throw new PatternTooSlow('No time is left')
      try {
        box.pattern = pattern
        box.text = text
        return trial.runInContext(box, { timeout }) as boolean
      } catch (error) {
        throw new PatternTooSlow('It was stopped', { cause: error })
      } finally {
        box.text = ''
      }
    },
  }
}

// A context is dear to make, and what is run in it is this one line.
const trial = new Script('pattern.test(text)')
const box: { pattern?: RegExp; text?: string } = createContext({})
