import type { JsonValue } from '../expressions/index.ts'
import { pipelinesBounds } from './bounds.ts'
import { type PipelineStep, pipelineLimits } from './definition.ts'
import { anyText, anyValue, anyWhole, objectTypeOf, type ValueType } from './value-type.ts'

/** What an expression reads. `item` and `index` belong to the input of an item of `for_each`. */
export type ExpressionScope = {
  input: JsonValue
  /** Steps that have ended before. Those that the expression does not name may be missing. */
  steps: Readonly<Record<string, { status: string; output: JsonValue }>>
  item?: JsonValue
  index?: number
}

/**
 * The scope with its values as JSON. It is handed to a thread as it came from the database: the event loop neither parses nor writes it.
 * An output that is undefined is too large to be read.
 */
export type ScopeTexts = {
  input: string
  steps: Readonly<Record<string, { status: string; output: string | undefined }>>
  item?: string
  index?: number
}

/** The variables of `ExpressionScope`. `steps` has a field for each step, of the type that `stepVariable` answers. */
export const scopeVariables = (
  steps: ValueType,
): Readonly<Record<Exclude<keyof ExpressionScope, 'item' | 'index'>, ValueType>> => ({ input: anyValue, steps })

/** `output` is any value if the agent of the step declares no schema. */
export const stepVariable = (output: ValueType): ValueType => objectTypeOf({ status: anyText, output })

export const itemVariables: Readonly<Record<'item' | 'index', ValueType>> = { item: anyValue, index: anyWhole }

/** The variables at run time. Fields are any values here, because the check at save has compared them with the schemas. */
export const evaluatedVariables = { ...scopeVariables(anyValue), ...itemVariables }

/** The steps whose outputs `when`, `for_each`, `input` or the question of a step may read. A superset, found without parsing. */
export const stepsReadByStep = (step: PipelineStep, ancestors: Iterable<string>): Set<string> => {
  const { value, texts } = partsOf(step)
  return stepsNamedIn([...texts, ...(value === undefined ? [] : templateTexts(value))], ancestors)
}

/** The steps whose outputs a value with placeholders may read, such as the output of the pipeline. A superset, found without parsing. */
export const stepsReadByValue = (value: JsonValue, keys: Iterable<string>): Set<string> =>
  stepsNamedIn(templateTexts(value), keys)

/** The texts in which the placeholders of a value stand. None: the value stands for itself. */
export const templateTexts = (value: JsonValue): string[] => {
  const texts: string[] = []
  const left: JsonValue[] = [value]
  // A loop and no recursion: nothing is known about the depth.
  for (let each = left.pop(); each !== undefined; each = left.pop()) {
    if (typeof each === 'string') for (const text of placeholderTexts(each)) texts.push(text)
    else if (typeof each === 'object' && each !== null) for (const part of Object.values(each)) left.push(part)
  }
  return texts
}

/** A prompt can be long. Only the beginning of each placeholder is searched, which is as long as an expression can be. */
const placeholderTexts = (text: string): string[] =>
  text
    .split('${{')
    .slice(1)
    .map((rest) => rest.trimStart().slice(0, maxSourceChars))

/** The bound of an expression. */
const maxSourceChars = pipelinesBounds.placeholderSearched.chars

export type ScopeText = { kind: 'text'; text: string } | { kind: 'too_large' }

/** The part of the scope that the texts may read, as JSON. It is cheaper to hand to a thread than objects. */
export const scopeTextFor = (texts: readonly string[], scope: ScopeTexts): ScopeText => {
  const named = new Set(texts.flatMap(wordsOf))
  const fields = (['input', 'item', 'index'] as const).flatMap((name) => {
    const value = scope[name]
    return named.has(name) && value !== undefined ? [[name, value] as const] : []
  })
  const steps = [...stepsNamedIn(texts, Object.keys(scope.steps))].flatMap((key) => {
    const step = scope.steps[key]
    return step ? [[key, step] as const] : []
  })

  let bytes = 0
  const write = (name: string, json: string): string => {
    const part = `${JSON.stringify(name)}:${json}`
    bytes += Buffer.byteLength(part)
    return part
  }
  const variables = fields.map(([name, value]) => write(name, String(value)))
  const ended: string[] = []
  for (const [key, { status, output }] of steps) {
    if (output === undefined || bytes > pipelineLimits.scopeBytes) return { kind: 'too_large' }
    ended.push(write(key, `{"status":${JSON.stringify(status)},"output":${output}}`))
  }
  if (bytes > pipelineLimits.scopeBytes) return { kind: 'too_large' }
  return { kind: 'text', text: `{${[`"steps":{${ended.join(',')}}`, ...variables].join(',')}}` }
}

const partsOf = (step: PipelineStep): { texts: string[]; value: JsonValue | undefined } => {
  const { when } = step
  const forEach = 'for_each' in step ? step.for_each : undefined
  return {
    texts: [when, forEach].filter((text) => text !== undefined),
    value: 'approval' in step ? step.approval.message : step.input,
  }
}

const stepsNamedIn = (texts: readonly string[], keys: Iterable<string>): Set<string> => {
  const readers = texts.filter((text) => text.includes('steps'))
  // `steps["\x61"]` names a step and does not write its key.
  if (readers.some((text) => text.includes('\\'))) return new Set(keys)
  const named = new Set(readers.flatMap(wordsOf))
  return new Set([...keys].filter((key) => named.has(key)))
}

/** The words of a text that can be keys. */
const wordsOf = (text: string): string[] => text.match(/[a-z][a-z0-9_]*/g) ?? []
