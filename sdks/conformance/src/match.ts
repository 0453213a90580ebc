import type { Json, JsonObject } from './types.ts'

/** Names of values that must be equal wherever they stand in a case. */
export type Bindings = Map<string, Json>

/**
 * The differences between what was expected and what came, as sentences. An object may have more fields than expected;
 * a list has exactly the expected items. An object with a field that begins with `$` is a matcher.
 */
export const differences = (expected: Json, actual: Json | undefined, at: string, bound: Bindings): string[] => {
  if (isObject(expected)) {
    const [first = ''] = Object.keys(expected)
    if (first.startsWith('$')) return matchSpecial(expected, actual, at, bound)
    if (!isObject(actual)) return [`${at} is ${show(actual)}, expected an object`]
    return Object.entries(expected).flatMap(([name, each]) => differences(each, actual[name], `${at}.${name}`, bound))
  }
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return [`${at} is ${show(actual)}, expected a list`]
    if (actual.length !== expected.length) {
      return [`${at} has ${actual.length} items, expected ${expected.length}: ${show(actual as Json)}`]
    }
    return expected.flatMap((each: Json, n) => differences(each, actual[n] as Json, `${at}[${n}]`, bound))
  }
  if (expected === null && actual === undefined) return []
  if (expected === actual || isSameInstant(expected, actual)) return []
  return [`${at} is ${show(actual)}, expected ${show(expected)}`]
}

const matchSpecial = (matcher: JsonObject, actual: Json | undefined, at: string, bound: Bindings): string[] => {
  if (matcher.$absent === true) return actual === undefined ? [] : [`${at} is ${show(actual)}, expected none`]
  if (matcher.$any === true) return actual === undefined ? [`${at} is missing`] : []
  if (typeof matcher.$regex === 'string') {
    const isMatch = typeof actual === 'string' && new RegExp(matcher.$regex).test(actual)
    return isMatch ? [] : [`${at} is ${show(actual)}, expected a match of ${matcher.$regex}`]
  }
  if (Array.isArray(matcher.$contains)) {
    return matcher.$contains.flatMap((part) =>
      typeof actual === 'string' && actual.includes(String(part))
        ? []
        : [`${at} is ${show(actual)}, without "${part}"`],
    )
  }
  if (typeof matcher.$same === 'string') return bind(matcher.$same, actual, at, bound)
  return [`${at}: unknown matcher ${show(matcher)}`]
}

const bind = (name: string, actual: Json | undefined, at: string, bound: Bindings): string[] => {
  if (actual === undefined) return [`${at} is missing`]
  const known = bound.get(name)
  if (known === undefined) {
    const twin = [...bound].find(([, value]) => value === actual)?.[0]
    bound.set(name, actual)
    return twin === undefined ? [] : [`${at} is ${show(actual)}, which is already "${twin}"`]
  }
  return known === actual ? [] : [`${at} is ${show(actual)}, expected ${show(known)} as before`]
}

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Languages print the same instant with other digits. */
const isSameInstant = (expected: Json, actual: Json | undefined): boolean =>
  typeof expected === 'string' &&
  typeof actual === 'string' &&
  instant.test(expected) &&
  instant.test(actual) &&
  Date.parse(expected) === Date.parse(actual)

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

const maxShown = 300

const show = (value: Json | undefined): string => {
  const text = JSON.stringify(value) ?? 'missing'
  return text.length <= maxShown ? text : `${text.slice(0, maxShown)}… (${text.length} characters)`
}
