import type { ConditionalScope, Operation } from './operation.ts'
import type { Scope } from './scopes.ts'

/** The scopes that a call with this input requires. All of them are required; `anyone` and `signed_in` require none. */
export const requiredScopes = (
  { scope, conditionalScopes = [] }: Pick<Operation, 'scope' | 'conditionalScopes'>,
  input: Readonly<Record<string, unknown>>,
): Scope[] => {
  const asked = conditionalScopes.filter((condition) => isAsked(condition, input))
  const isReplaced = asked.some(({ instead }) => instead)
  const first = isReplaced || scope === 'anyone' || scope === 'signed_in' ? [] : [scope]
  return [...first, ...asked.map((condition) => condition.scope)]
}

/** Whether the input has a value that requires the scope. */
const isAsked = ({ field, values }: ConditionalScope, input: Readonly<Record<string, unknown>>): boolean => {
  const found = field.split('.').reduce<unknown>((part, name) => (part as Parts | null | undefined)?.[name], input)
  return [found]
    .flat()
    .some((value) => value !== undefined && value !== null && (values?.includes(String(value)) ?? true))
}

/** The condition in words, as the end of a sentence about the scope of an operation. */
export const conditionInWords = ({ scope, field, values, instead }: ConditionalScope): string => {
  const names = values?.map((value) => `\`${value}\``)
  const list = names && [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ')
  const what = list === undefined ? 'is set' : `is or contains ${list}`
  return `\`${scope}\` ${instead ? 'instead' : 'too'} if \`${field}\` ${what}`
}

type Parts = Readonly<Record<string, unknown>>
