import {
  apiBasePath,
  apiRevision,
  authorityRows,
  demoReach,
  duties,
  type ErrorCode,
  narrowedReach,
  protocolErrors,
  scopes,
  storedFacts,
} from '@ars/contract'
import { callersInWords } from './callers.ts'
import { pageHead, table } from './markdown.ts'
import type { Contract } from './openapi.ts'
import { statusesOf } from './openapi-responses.ts'

/** The list of operations for readers. openapi.json is complete. */
export const apiPage = (contract: Contract): string => {
  const sections = Object.entries(contract).map(([resource, operations]) => {
    const rows = Object.entries(operations).map(([name, operation]) => [
      `\`${operation.method} ${operation.path}\`${operation.alsoAtRoot ? ', also at the root' : ''}`,
      `\`${resource}.${name}\``,
      operation.summary,
      callersInWords(operation),
      statusesOf(operation).join(', '),
      codes(operation.errors),
      operation.streams ? 'yes' : 'no',
      [operation.idempotent && '`Idempotency-Key`', operation.prefers && '`Prefer`'].filter(Boolean).join(', '),
    ])
    const head = [
      'Request',
      'Operation',
      'Description',
      'Required credential',
      'Statuses',
      'Error codes',
      'Streams',
      'Request headers',
    ]
    return `## ${resource}\n\n${table(head, rows)}`
  })
  return `${pageHead('Operations', 'the contract, `packages/contract/src/`,')}
Paths are relative to \`https://<host>${apiBasePath}\`; this is revision ${apiRevision}. Fields, types and bounds are in
[openapi.json](../../packages/contract/openapi.json).

A scope means an API key, a browser session or a short-lived token with that scope. [Authentication](../guides/authentication.md)
describes the credentials.

In addition to the error codes in its row, any operation can return ${codes(protocolErrors)}.

${sections.join('\n\n')}

## Scopes

The operations that each scope allows. A scope without operations is reserved: it can be granted, but allows nothing yet.

${table(['Scope', 'Operations'], scopeRows(contract))}
`
}

const reachWords = { none: 'no', own: 'own', all: 'yes' } as const

/** The authority matrix: what each way to call an operation requires, and which runs weak credentials reach. */
export const authorityPage = (contract: Contract): string => {
  const rows = authorityRows(contract).map(({ name, operation, when, stored, did, scopes: needed, isOfOneRun }) => [
    `\`${name}\`${when === null ? '' : ` if \`${when.field}\` is or contains \`${when.value}\``}${stored === null ? '' : ` if ${storedFacts[stored]}`}${did === null ? '' : ` by a key that ${duties[did]}, and by the keys that come from it`}`,
    did === null ? needed.map((scope) => `\`${scope}\``).join(' and ') : 'refused',
    reachWords[narrowedReach(operation)],
    reachWords[demoReach(operation, needed)],
    isOfOneRun ? 'any' : '',
    isOfOneRun && !operation.lasting ? 'own' : '',
    isOfOneRun && !operation.lasting ? 'its run' : '',
    operation.shared ? 'its run' : '',
  ])
  const head = [
    'Operation',
    'Scopes',
    'Narrowed key',
    'Demo key',
    'Runs: key, session',
    'Runs: demo key, token without run',
    'Runs: token of a run',
    'Runs: link to a run',
  ]
  return `${pageHead('Authority', 'the contract, `packages/contract/src/`,')}
A narrowed key is limited to some agents. \`own\`: it reaches what belongs to its agents; a demo key also needs to have created the run.
\`no\`: 403, because the operation concerns every agent, or because a demo key cannot hold the scope.

A key with one scope can call the rows that name only this scope. Tests call every operation with every scope alone, and those of a run for own and foreign runs.

${table(head, rows)}
`
}

const scopeRows = (contract: Contract): string[][] =>
  scopes.map((scope) => {
    const opened = Object.entries(contract).flatMap(([resource, operations]) =>
      Object.entries(operations)
        .filter(([, { scope: own, alsoScopes = [], conditionalScopes = [], storedScopes = [] }]) =>
          [own, ...alsoScopes, ...[...conditionalScopes, ...storedScopes].map((one) => one.scope)].includes(scope),
        )
        .map(([name]) => `\`${resource}.${name}\``),
    )
    return [`\`${scope}\``, opened.join(', ')]
  })

const codes = (list: readonly ErrorCode[]): string => list.map((code) => `[\`${code}\`](errors.md#${code})`).join(', ')
