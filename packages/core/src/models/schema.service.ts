import { createContext, Script } from 'node:vm'
import type { Clock } from '@ars/platform/clock'
import { canonicalJson } from '@ars/platform/crypto'
import { Ajv, type AnySchema, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'

/**
 * Validates values against JSON Schemas of customers: an agent's input and output, the payload of an action. A schema is
 * compiled to code that runs in this process. The size and depth of a schema, its references (only to itself) and the time
 * of its patterns are therefore limited.
 */
export type Schemas = {
  /** The faults of the value, each with its path. An empty list: the value is valid. */
  check(schema: JsonSchema, value: unknown): string[]
  /** The same faults for an error response: `param` and the message begin with the name of the checked field. */
  faultsOf(schema: JsonSchema, value: unknown, field: string): SchemaFault[]
  /** The faults of the schema itself. An empty list: the schema can be used. Called when a customer submits it. */
  checkSchema(schema: JsonSchema): string[]
}

export type SchemaFault = { param: string; message: string }

export type JsonSchema = Readonly<Record<string, unknown>>

export const schemaLimits = {
  chars: 65_536,
  depth: 64,
  patternChars: 512,
  /** Patterns and values below both limits run without a timeout. */
  quickPatternValueChars: 128,
  quickPatternQuantifiers: 1,
  patternsTogetherMs: 200,
  problems: 20,
  compiled: 1000,
} as const

type Compiled = { validate: ValidateFunction } | { problems: string[] }

export const createSchemas = (
  clock: Clock,
  // Schemas of the operator get more time than those of customers: no request waits for them, and a start must not fail on a slow machine.
  { patternsTogetherMs = schemaLimits.patternsTogetherMs as number } = {},
): Schemas => {
  const byText = new Map<string, Compiled>()
  // All patterns of one check share one time budget.
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

  const faultsIn = (schema: JsonSchema, value: unknown): ValueFault[] => {
    const compiled = compiledOf(schema)
    if ('problems' in compiled) return compiled.problems.map(ofWhole)
    patternsEndAtMs = clock.monotonicMs() + patternsTogetherMs
    try {
      if (compiled.validate(value)) return []
      return (compiled.validate.errors ?? []).map(toValueFault)
    } catch (error) {
      if (error instanceof PatternTooSlow)
        return [ofWhole('A pattern of the schema takes too long to check this value')]
      if (error instanceof RangeError) return [ofWhole('The value is nested too deeply for the schema')]
      throw error
    }
  }

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
    check: (schema, value) =>
      first(
        faultsIn(schema, value).map(({ path, message, sentence }) => sentence ?? `${path || 'the value'} ${message}`),
      ),
    faultsOf: (schema, value, field) => {
      const faults = faultsIn(schema, value).map(({ path, message, sentence }) => {
        const param = path === '' ? field : `${field}.${path}`
        return { param, message: `${sentence ?? `${param} ${message}`}.` }
      })
      const messages = first(faults.map(({ message }) => message))
      return messages.flatMap((message) => faults.find((fault) => fault.message === message) ?? [])
    },
  }
}

// A new Ajv for each schema: Ajv registers schemas by `$id`, and a `$ref` must not resolve to another customer's schema.
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
    if (!draft) return { problems: ['$schema names an unknown draft. Use 2020-12, 2019-09 or draft-07'] }
    isSchema(draft, schema)
    return { validate: openAjv(draft, { ...options, validateSchema: false }).compile(schema as AnySchema) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return { problems: [`The schema cannot be used: ${error.message.slice(0, 300)}`] }
  }
}

/**
 * Throws if the value is not a JSON Schema. Each draft's meta-schema is expensive to compile and compiled once; the
 * schemas checked with it are not stored.
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
  // This check is linear; the built-in one compares every pair of items.
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
  // Unknown keywords are ignored.
  strict: false,
  // `format` is an annotation, as in JSON Schema itself; it rejects nothing.
  validateFormats: false,
  // Inlined references could expand a small schema to a large amount of code.
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

/** `message` is the predicate of a sentence about the field at `path`; `sentence` concerns the whole value or schema. */
type ValueFault = { path: string; message: string; sentence?: string }

const ofWhole = (sentence: string): ValueFault => ({ path: '', message: '', sentence })

const first = (messages: readonly string[]): string[] => [...new Set(messages)].slice(0, schemaLimits.problems)

const toValueFault = ({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): ValueFault => {
  const at = (name?: unknown): string => pathOf(instancePath, name)
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return { path: at(params.missingProperty), message: 'is required' }
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { path: at(params.additionalProperty ?? params.unevaluatedProperty), message: 'is not a known field' }
    case 'type':
      return { path: at(), message: `must be ${[params.type].flat().map(typeName).join(' or ')}` }
    case 'enum':
      return { path: at(), message: `must be one of ${JSON.stringify(params.allowedValues).slice(0, 200)}` }
    case 'const':
      return { path: at(), message: `must be ${JSON.stringify(params.allowedValue)?.slice(0, 200)}` }
    case 'uniqueItems':
      return { path: at(), message: 'must not have the same item twice' }
    default:
      return { path: at(), message: message.replace('NOT', 'not') }
  }
}

const maxPathChars = 200

/** A JSON pointer as a path with dots, and the name of a field below it. */
const pathOf = (pointer: string, name: unknown): string => {
  const parts = pointer.split('/').slice(1)
  const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  const text = (typeof name === 'string' ? [...path, name] : path).join('.')
  return text.length <= maxPathChars ? text : `${text.slice(0, maxPathChars)}…`
}

const typeName = (type: unknown): string =>
  type === 'null' ? 'null' : `${/^[aio]/.test(String(type)) ? 'an' : 'a'} ${type}`

class PatternTooSlow extends Error {
  override readonly name = 'PatternTooSlow'
}

/**
 * A pattern such as `(a+)+$` can backtrack without end and block the event loop. Patterns that could, and long values, run
 * in a context with a timeout, which V8 checks while it backtracks.
 */
const patternWithin = (leftMs: () => number) => (source: string, flags: string) => {
  if (source.length > schemaLimits.patternChars) {
    throw new Error(`a pattern is longer than ${schemaLimits.patternChars} characters`)
  }
  const pattern = new RegExp(source, flags)
  const isQuick = (source.match(/[*+}]/g) ?? []).length <= schemaLimits.quickPatternQuantifiers
  return {
    // Ajv identifies a pattern by this text.
    toString: () => String(pattern),
    test: (text: string): boolean => {
      if (isQuick && text.length <= schemaLimits.quickPatternValueChars) return pattern.test(text)
      const timeout = Math.floor(leftMs())
      if (timeout < 1) throw new PatternTooSlow('The time budget is used up')
      try {
        box.pattern = pattern
        box.text = text
        return trial.runInContext(box, { timeout }) as boolean
      } catch (error) {
        throw new PatternTooSlow('The pattern timed out', { cause: error })
      } finally {
        box.text = ''
      }
    },
  }
}

// Contexts are expensive to create; this one only runs this line.
const trial = new Script('pattern.test(text)')
const box: { pattern?: RegExp; text?: string } = createContext({})
