import { demoScopes } from './api-keys.ts'
import type { ConditionalScope, Operation, Operations } from './operation.ts'
import type { Scope } from './scopes.ts'

/** The scopes that a call with this input requires. All of them are required; `anyone` and `signed_in` require none. */
export const requiredScopes = (
  { scope, alsoScopes = [], conditionalScopes = [] }: Pick<Operation, 'scope' | 'alsoScopes' | 'conditionalScopes'>,
  input: Readonly<Record<string, unknown>>,
): Scope[] => {
  const asked = conditionalScopes.filter((condition) => isAsked(condition, input))
  const isReplaced = asked.some(({ instead }) => instead)
  const first = isReplaced || scope === 'anyone' || scope === 'signed_in' ? [] : [scope]
  return [...first, ...alsoScopes, ...asked.map((condition) => condition.scope)]
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

/** What of an organisation a weaker credential reaches with an operation. `own`: what belongs to its agents or its runs. */
export type Reach = 'none' | 'own' | 'all'

/** Of a key that is narrowed to agents. */
export const narrowedReach = ({ names }: Pick<Operation, 'names'>): Reach => {
  if (names === 'organisation') return 'none'
  return names === 'nothing' ? 'all' : 'own'
}

/** Of a demo key with every scope that it can hold. */
export const demoReach = ({
  scope,
  alsoScopes = [],
  names,
}: Pick<Operation, 'scope' | 'alsoScopes' | 'names'>): Reach =>
  [scope, ...alsoScopes].every((each) => demoScopeNames.has(each)) ? narrowedReach({ names }) : 'none'

const demoScopeNames: ReadonlySet<string> = new Set([...demoScopes, 'anyone', 'signed_in'])

/** One way to call an operation, with the scopes that it requires. */
export type AuthorityRow = {
  readonly name: string
  readonly operation: Operation
  /** The field and value that the scopes depend on; null: all other inputs. */
  readonly when: { readonly field: string; readonly value: string } | null
  readonly scopes: readonly Scope[]
  /** It names one run, so a demo key and a token without a run can call it only for the runs that they created. */
  readonly isOfOneRun: boolean
}

/** The authority matrix: every operation with a scope, and every value that changes its scopes. */
export const authorityRows = (contract: Readonly<Record<string, Operations>>): AuthorityRow[] =>
  Object.entries(contract).flatMap(([resource, operations]) =>
    Object.entries(operations).flatMap(([name, operation]) => {
      if (operation.scope === 'anyone' || operation.scope === 'signed_in') return []
      const conditions = (operation.conditionalScopes ?? []).flatMap(({ field, values = ['…'] }) =>
        values.map((value) => ({ field, value })),
      )
      const isOfOneRun = operation.path.startsWith('/runs/{id}')
      return [null, ...conditions].map((when) => ({
        name: `${resource}.${name}`,
        operation,
        when,
        scopes: requiredScopes(operation, when === null ? {} : nested(when.field.split('.'), when.value)),
        isOfOneRun,
      }))
    }),
  )

const nested = ([name = '', ...rest]: readonly string[], value: string): Record<string, unknown> => ({
  [name]: rest.length === 0 ? value : nested(rest, value),
})

type Parts = Readonly<Record<string, unknown>>
