import { canonicalJson } from '@ars/platform/crypto'
import { Ajv, type AnySchema, type ErrorObject, type Options, type ValidateFunction } from 'ajv'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { schemasBounds } from './bounds.ts'
import { compileLinear, PatternProblem } from './linear-pattern.ts'
import { joinPath, maxFaults, messages, ofWhole, type ValueFault } from './schema-fault.ts'
import type { JsonSchema } from './survey.ts'
import { type Weight, weigh } from './weight.ts'

/**
 * Evaluates any JSON Schema: compiles it to code. This takes CPU time and memory that only a thread can limit, so it runs
 * there for customers, and directly only for the operator's files.
 */
export type Validator = {
  /** The faults of the schema itself. Empty: it can be used. */
  problemsOf(schema: JsonSchema): string[]
  faultsOf(schema: JsonSchema, value: unknown): ValueFault[]
}

/** Compiled schemas are kept up to this number and this sum of sub-schemas; one takes about 4 KB. */
const maxCompiled = schemasBounds.compiledSchemas.count
const maxCompiledSubSchemas = schemasBounds.compiledSubschemas.count
/** Above this product of paths and parts of the value, only the first fault is reported: all could be millions. */
const maxPairsForAllFaults = schemasBounds.pairsForAllFaults.count

type Compiled = { kind: 'usable'; validate: ValidateFunction } | { kind: 'refused'; problems: string[] }
/** Called before a value is evaluated: from then on, the value is the reason for the time that it takes. */
type Watch = { onCompiled?: () => void }
type Entry = Compiled & { subSchemas: number }

export const createValidator = ({ onCompiled = () => undefined }: Watch = {}): Validator => {
  const byText = new Map<string, Entry>()
  const isSchema = createSchemaCheck()
  let subSchemas = 0

  const compiledOf = (schema: JsonSchema, mode: 'all' | 'first'): Compiled => {
    const weighed = weigh(schema)
    if (weighed.kind === 'refused') return weighed
    const { weight } = weighed
    const key = `${mode} ${weight.text}`
    const found = byText.get(key)
    if (found) {
      byText.delete(key)
      byText.set(key, found)
      return found
    }
    const entry = { ...compile(schema, weight, { mode, isSchema }), subSchemas: weight.subSchemas }
    byText.set(key, entry)
    subSchemas += entry.subSchemas
    // The first ones have not been used for the longest time.
    for (const [oldest, { subSchemas: freed }] of byText) {
      if (byText.size <= maxCompiled && subSchemas <= maxCompiledSubSchemas) break
      byText.delete(oldest)
      subSchemas -= freed
    }
    return entry
  }

  return {
    problemsOf: (schema) => {
      const compiled = compiledOf(schema, 'all')
      return compiled.kind === 'refused' ? compiled.problems : []
    },
    faultsOf: (schema, value) => {
      const weighed = weigh(schema)
      if (weighed.kind === 'refused') return weighed.problems.map(ofWhole)
      const isLarge = hasMoreParts(value, maxPairsForAllFaults / weighed.weight.paths)
      const compiled = compiledOf(schema, isLarge ? 'first' : 'all')
      if (compiled.kind === 'refused') return compiled.problems.map(ofWhole)
      const { validate } = compiled
      onCompiled()
      try {
        return validate(value) ? [] : (validate.errors ?? []).slice(0, maxErrors).map(toValueFault)
      } catch (error) {
        if (error instanceof RangeError) return [ofWhole('The value is nested too deeply for the schema')]
        throw error
      } finally {
        // The errors point at the value, which would stay in memory.
        validate.errors = null
      }
    },
  }
}

/** Several errors can become one fault, so more of them are read than faults are reported. */
const maxErrors = schemasBounds.errorsRead.count

const hasMoreParts = (value: unknown, max: number): boolean => {
  const waiting: unknown[] = [value]
  for (let count = 0; waiting.length > 0; count++) {
    if (count + waiting.length > max) return true
    const next = waiting.pop()
    if (typeof next !== 'object' || next === null) continue
    const items = Object.values(next)
    if (items.length > max) return true
    for (const item of items) waiting.push(item)
  }
  return false
}

const compile = (
  schema: JsonSchema,
  { patterns }: Weight,
  { mode, isSchema }: { mode: 'all' | 'first'; isSchema: SchemaCheck },
): Compiled => {
  const draft = draftOf(schema.$schema)
  if (!draft) return refused('$schema names an unknown draft. Use 2020-12, 2019-09 or draft-07')
  try {
    // First, because the compiler reports a pattern without its place.
    const problems = patterns.flatMap(({ path, source }) => patternProblems(path, source))
    if (problems.length > 0) return { kind: 'refused', problems: problems.slice(0, maxFaults) }
    isSchema(draft, schema)
    const ajv = openAjv(draft, { ...ajvOptions, validateSchema: false, allErrors: mode === 'all' })
    return { kind: 'usable', validate: ajv.compile(schema as AnySchema) }
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return refused(`The schema cannot be used: ${error.message.slice(0, 300)}`)
  }
}

const refused = (problem: string): Compiled => ({ kind: 'refused', problems: [problem] })

const patternProblems = (path: string, source: string): string[] => {
  try {
    compileLinear(source)
    return []
  } catch (error) {
    if (!(error instanceof PatternProblem)) throw error
    return [`${path}: the pattern ${source.slice(0, 100)} ${error.message}`]
  }
}

type SchemaCheck = (draft: typeof Ajv, schema: JsonSchema) => void

/** Throws if the value is not a JSON Schema. Each draft's meta-schema is expensive to compile and compiled once. */
const createSchemaCheck = (): SchemaCheck => {
  const checkers = new Map<typeof Ajv, Ajv>()
  return (draft, schema) => {
    const checker = checkers.get(draft) ?? openAjv(draft, ajvOptions)
    checkers.set(draft, checker)
    void checker.validateSchema(schema as AnySchema, true)
  }
}

// A new Ajv for each schema: Ajv registers schemas by `$id`, and a `$ref` must not resolve to another customer's schema.
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

const linearRegExp = (source: string) => ({
  ...compileLinear(source),
  // Ajv identifies a pattern by this text.
  toString: () => `/${source}/u`,
})

const ajvOptions: Options = {
  allErrors: true,
  // Unknown keywords are ignored.
  strict: false,
  // `format` is an annotation, as in JSON Schema itself; it rejects nothing.
  validateFormats: false,
  // Inlined references could expand a small schema to a large amount of code.
  inlineRefs: false,
  // A field that every object inherits, such as `constructor`, is not a field of the value.
  ownProperties: true,
  logger: false,
  code: { regExp: Object.assign(linearRegExp, { code: 'pattern' }) },
}

const draftOf = (name: unknown): typeof Ajv | undefined => {
  if (name === undefined || (typeof name === 'string' && name.includes('2020-12'))) return Ajv2020 as typeof Ajv
  if (typeof name !== 'string') return
  if (name.includes('2019-09')) return Ajv2019 as typeof Ajv
  return name.includes('draft-07') ? Ajv : undefined
}

const hasUniqueItems = (isWanted: boolean, items: unknown[]): boolean =>
  !isWanted || new Set(items.map(canonicalJson)).size === items.length

const toValueFault = ({ instancePath, message = 'is not valid', keyword, params }: ErrorObject): ValueFault => {
  const at = (name?: unknown): string => pathOf(instancePath, name)
  switch (keyword) {
    case 'required':
    case 'dependentRequired':
    case 'dependencies':
      return { path: at(params.missingProperty), message: messages.required }
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return { path: at(params.additionalProperty ?? params.unevaluatedProperty), message: messages.unknown }
    case 'type':
      return { path: at(), message: messages.type([params.type].flat()) }
    case 'enum':
      return { path: at(), message: messages.enum(params.allowedValues) }
    case 'const':
      return { path: at(), message: messages.const(params.allowedValue) }
    case 'uniqueItems':
      return { path: at(), message: 'must not have the same item twice' }
    default:
      return { path: at(), message: message.replace('NOT', 'not') }
  }
}

/** A JSON pointer as a path with dots, and the name of a field below it. */
const pathOf = (pointer: string, name: unknown): string => {
  const parts = pointer.split('/').slice(1)
  const path = parts.map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  return joinPath(typeof name === 'string' ? [...path, name] : path)
}
