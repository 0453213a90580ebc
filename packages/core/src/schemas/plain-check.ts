import type { PlainNode, PlainSchema } from './plain-schema.ts'
import { joinPath, maxFaults, messages, type ValueFault } from './schema-fault.ts'

/** The faults of the value. Ends when there are as many as are reported. */
export const checkPlain = ({ root }: PlainSchema, value: unknown): ValueFault[] => {
  const faults: ValueFault[] = []
  evaluate(root, value, { path: [], faults })
  return faults
}

type Place = { path: string[]; faults: ValueFault[] }

const evaluate = (node: PlainNode | boolean, value: unknown, place: Place): void => {
  if (node === true || place.faults.length >= maxFaults) return
  if (node === false) {
    fault(place, 'boolean schema is false')
    return
  }
  if (node.types && !node.types.some((type) => hasType(type, value))) fault(place, messages.type(node.types))
  checkAmount(node, value, place)
  if (node.hasConst && node.const !== value) fault(place, messages.const(node.const))
  if (node.enum && !node.enum.includes(value)) fault(place, messages.enum(node.enum))
  if (node.anyOf) checkAnyOf(node.anyOf, value, place)
  for (const each of node.allOf) evaluate(each, value, place)
  if (Array.isArray(value)) {
    const { items } = node
    if (items === undefined) return
    for (const [at, item] of value.entries()) evaluateBelow(items, item, String(at), place)
  } else if (typeof value === 'object' && value !== null) checkObject(node, value as Record<string, unknown>, place)
}

const evaluateBelow = (node: PlainNode | boolean, value: unknown, name: string, place: Place): void => {
  if (place.faults.length >= maxFaults) return
  place.path.push(name)
  evaluate(node, value, place)
  place.path.pop()
}

const checkObject = (node: PlainNode, value: Record<string, unknown>, place: Place): void => {
  for (const name of node.required) if (!Object.hasOwn(value, name)) fault(place, messages.required, name)
  if (node.properties.size === 0 && node.additionalProperties === undefined) return
  for (const name of Object.keys(value)) {
    const property = node.properties.get(name) ?? node.additionalProperties
    if (property === false && !node.properties.has(name)) fault(place, messages.unknown, name)
    else if (property !== undefined) evaluateBelow(property, value[name], name, place)
  }
}

/** The faults of the alternatives count only if none fits. */
const checkAnyOf = (alternatives: readonly (PlainNode | boolean)[], value: unknown, place: Place): void => {
  const faults: ValueFault[] = []
  for (const each of alternatives) {
    const own: Place = { path: place.path, faults: [] }
    evaluate(each, value, own)
    if (own.faults.length === 0) return
    if (faults.length < maxFaults) faults.push(...own.faults)
  }
  for (const each of faults) if (place.faults.length < maxFaults) place.faults.push(each)
  fault(place, 'must match a schema in anyOf')
}

const checkAmount = ({ limits }: PlainNode, value: unknown, place: Place): void => {
  for (const { of, isWithin, message } of limits) {
    const amount = amountOf(of, value)
    if (amount !== undefined && !isWithin(amount)) fault(place, message)
  }
}

const amountOf = (of: PlainNode['limits'][number]['of'], value: unknown): number | undefined => {
  switch (of) {
    case 'number':
      return typeof value === 'number' ? value : undefined
    case 'string':
      return typeof value === 'string' ? charactersOf(value) : undefined
    case 'array':
      return Array.isArray(value) ? value.length : undefined
    case 'object':
      return isObject(value) ? Object.keys(value).length : undefined
  }
}

/** Characters, not the UTF-16 units that `length` counts. */
const charactersOf = (text: string): number => {
  let pairs = 0
  for (let at = 0; at < text.length - 1; at++) {
    const isPair = (text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00
    if (isPair) {
      pairs++
      at++
    }
  }
  return text.length - pairs
}

const hasType = (type: string, value: unknown): boolean => {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return isObject(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      // The names that are left are those of the language.
      return typeof value === type
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const fault = ({ path, faults }: Place, message: string, name?: string): void => {
  if (faults.length < maxFaults) faults.push({ path: joinPath(name === undefined ? path : [...path, name]), message })
}
