import type { CelInput } from '@bufbuild/cel'
import type { Facts } from '../rule.ts'

/** What an expression is evaluated on: the facts, what is judged, and its text. */
export type ExpressionFacts = Facts & { content: unknown; text: string }

/** The variables of an expression. Those that it does not name may be missing. */
export const bindingsOf = (facts: Partial<ExpressionFacts>): Record<string, CelInput> => {
  const { agent, hour, ...others } = facts
  return {
    ...Object.fromEntries(Object.entries(others).map(([name, value]) => [name, inputOf(value)])),
    // Numbers of JSON are doubles; these two are declared as whole numbers.
    ...(agent && {
      agent: new Map<string, CelInput>([
        ['id', agent.id],
        ['version', BigInt(agent.version)],
      ]),
    }),
    ...(hour !== undefined && { hour: BigInt(hour) }),
  }
}

/** Maps instead of objects: the library would ask an object for its constructor, which may be a field of the content. */
const inputOf = (value: unknown): CelInput => {
  if (Array.isArray(value)) return value.map(inputOf)
  if (typeof value === 'object' && value !== null)
    return new Map(Object.entries(value).map(([name, each]) => [name, inputOf(each)]))
  return value as CelInput
}
