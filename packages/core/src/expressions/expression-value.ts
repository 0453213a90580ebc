import { type CelInput, type CelValue, isCelList, isCelMap } from '@bufbuild/cel'
import { gaveUp } from './expression-functions.ts'
import type { Type, Variables } from './expression-type.ts'

/** A value of JSON, as an expression answers it. */
export type ExpressionValue = null | boolean | number | string | ExpressionValue[] | { [name: string]: ExpressionValue }

/** The variables of an expression. Those that it does not name may be missing. */
export const bindingsOf = (values: Readonly<Record<string, unknown>>, variables: Variables): Record<string, CelInput> =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([name, value]) => value !== undefined && Object.hasOwn(variables, name))
      .map(([name, value]) => [name, inputOf(value, variables[name])]),
  )

/**
 * Maps instead of objects: the library would ask an object for its constructor, which may be a field of the content.
 * Numbers of JSON are doubles, unless they are declared as whole numbers.
 */
const inputOf = (value: unknown, type: Type | undefined): CelInput => {
  if (type?.kind === 'int' && Number.isSafeInteger(value)) return BigInt(value as number)
  if (Array.isArray(value)) {
    const of = type?.kind === 'list' ? type.of : undefined
    return value.map((each) => inputOf(each, of))
  }
  if (typeof value !== 'object' || value === null) return value as CelInput
  const fields = type?.kind === 'object' ? type.fields : {}
  return new Map(
    Object.entries(value).map(([name, each]) => [
      name,
      inputOf(each, Object.hasOwn(fields, name) ? fields[name] : undefined),
    ]),
  )
}

/** A value of CEL as JSON. Throws the reason if it is none, or if its JSON would have more characters than `maxChars`. */
export const jsonOf = (result: CelValue, maxChars: number): ExpressionValue => {
  let chars = 0
  // A list that holds another one twice is copied twice, so the size is counted on the way.
  const spend = (more: number): void => {
    chars += more
    if (chars > maxChars) throw gaveUp('its answer is too large')
  }

  const convert = (value: CelValue): ExpressionValue => {
    if (value === null || typeof value === 'boolean') {
      spend(4)
      return value
    }
    if (typeof value === 'string') {
      spend(value.length)
      return value
    }
    if (typeof value === 'number' || typeof value === 'bigint') {
      spend(1)
      return numberOf(value)
    }
    if (isCelList(value)) {
      spend(1 + value.size)
      return Array.from(value, convert)
    }
    if (!isCelMap(value)) throw gaveUp('its answer has a value that is no JSON value')
    spend(1 + value.size)
    const fields: [string, ExpressionValue][] = []
    for (const [name, each] of value) {
      if (typeof name !== 'string') throw gaveUp('its answer has a map with a key that is no string')
      spend(name.length + 3)
      fields.push([name, convert(each)])
    }
    return Object.fromEntries(fields)
  }

  return convert(result)
}

const numberOf = (value: number | bigint): number => {
  const number = Number(value)
  if (!Number.isFinite(number)) throw gaveUp('its answer has a number that JSON cannot write')
  if (typeof value === 'bigint' && !Number.isSafeInteger(number)) throw gaveUp('a number is too large')
  return number
}
