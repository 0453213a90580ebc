import type { Refusal } from '../../api/problem.ts'

/** A fault of a rule: which rule, which of its fields, and why. */
export type RuleFault = { place: string; message: string }

/** `rules.1.params.pattern` and `rules[1].params.pattern` become "Rule 2 (tickets), params.pattern". */
export const ruleFaults = (refusals: readonly Refusal[], rules: unknown): readonly RuleFault[] =>
  refusals
    .filter(({ param }) => /^rules\b/.test(param))
    .map(({ param, message }) => ({ place: placeOf(param, rules), message }))

const placeOf = (param: string, rules: unknown): string => {
  const [, index, ...path] = param.replaceAll(/\[(\w+)\]/g, '.$1').split('.')
  if (index === undefined || !/^\d+$/.test(index)) return 'Rules'
  const { id } = (Array.isArray(rules) ? (rules[Number(index)] ?? {}) : {}) as { id?: unknown }
  const rule = `Rule ${Number(index) + 1}${typeof id === 'string' && id !== '' ? ` (${id})` : ''}`
  return path.length === 0 ? rule : `${rule}, ${path.join('.')}`
}
