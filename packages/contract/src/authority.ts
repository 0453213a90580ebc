import { demoScopes } from './api-keys.ts'
import {
  type ConditionalScope,
  type Duty,
  type Operation,
  type Operations,
  type StoredFact,
  type StoredScope,
  storedFacts,
} from './operation.ts'
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

/** Whether the input has a value that requires the scope. A list on the way is looked through. */
const isAsked = ({ field, values }: ConditionalScope, input: Readonly<Record<string, unknown>>): boolean => {
  const found = field
    .split('.')
    .reduce<unknown[]>((parts, name) => parts.flatMap((part) => (part as Parts | null | undefined)?.[name]), [input])
  return found.some((value) => value !== undefined && value !== null && (values?.includes(String(value)) ?? true))
}

/**
 * Whether a call with this input sends or shows content of runs that others may have created. Besides `runs:read` the
 * caller must then see all runs. Runs and pipeline runs are left out: their own access decides about each of them.
 */
export const reachesRunsOfOthers = (operation: Operation, input: Readonly<Record<string, unknown>>): boolean =>
  (operation.names === 'organisation' || operation.names === 'agent') &&
  operation.scope !== 'runs:read' &&
  requiredScopes(operation, input).includes('runs:read')

/** The condition in words, as the end of a sentence about the scope of an operation. */
export const conditionInWords = ({ scope, field, values, instead }: ConditionalScope): string => {
  const names = values?.map((value) => `\`${value}\``)
  const list = names && [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' or ')
  const what = list === undefined ? 'is set' : `is or contains ${list}`
  return `\`${scope}\` ${instead ? 'instead' : 'too'} if \`${field}\` ${what}`
}

/** The condition in words, as the end of such a sentence too. */
export const storedInWords = ({ scope, when }: StoredScope): string => `\`${scope}\` too if ${storedFacts[when]}`

/** What of an organisation a weaker credential reaches with an operation. `own`: what belongs to its agents or its runs. */
export type Reach = 'none' | 'own' | 'all'

/** Of a key that is narrowed to agents. */
export const narrowedReach = ({ names }: Pick<Operation, 'names'>): Reach => {
  if (names === 'organisation') return 'none'
  return names === 'nothing' ? 'all' : 'own'
}

/** Of a demo key with every scope that it can hold, in a call that requires these scopes. */
export const demoReach = (
  operation: Pick<Operation, 'scope' | 'alsoScopes' | 'names' | 'allRuns'>,
  needed: readonly Scope[] = requiredScopes(operation, {}),
): Reach => (operation.allRuns || needed.some((each) => !demoScopeNames.has(each)) ? 'none' : narrowedReach(operation))

const demoScopeNames: ReadonlySet<string> = new Set(demoScopes)

/** One way to call an operation, with the scopes that it requires. */
export type AuthorityRow = {
  readonly name: string
  readonly operation: Operation
  /** The field and value that the scopes depend on; null: all other inputs. */
  readonly when: { readonly field: string; readonly value: string } | null
  /** What of the stored thing the scopes depend on; null: nothing. */
  readonly stored: StoredFact | null
  /** What the caller has done; null: it makes no difference. Its key is refused, whatever its scopes are. */
  readonly did: Duty | null
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
      const row = { name: `${resource}.${name}`, operation, isOfOneRun }
      return [
        ...[null, ...conditions].map((when) => {
          const input = when === null ? {} : nested(when.field.split('.'), when.value)
          return { ...row, when, stored: null, did: null, scopes: requiredScopes(operation, input) }
        }),
        ...(operation.storedScopes ?? []).map(({ scope, when: stored }) => ({
          ...row,
          when: null,
          stored,
          did: null,
          scopes: [...requiredScopes(operation, {}), scope],
        })),
        ...(operation.separateFrom === undefined
          ? []
          : [
              {
                ...row,
                when: null,
                stored: null,
                did: operation.separateFrom,
                scopes: requiredScopes(operation, {}),
              },
            ]),
      ]
    }),
  )

const nested = ([name = '', ...rest]: readonly string[], value: string): Record<string, unknown> => ({
  [name]: rest.length === 0 ? value : nested(rest, value),
})

type Parts = Readonly<Record<string, unknown>>
