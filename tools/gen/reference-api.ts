import { apiBasePath, apiRevision, type ErrorCode, protocolErrors, scopes } from '@ars/contract'
import { callersInWords } from './callers.ts'
import { pageHead, table } from './markdown.ts'
import type { Contract } from './openapi.ts'
import { statusesOf } from './openapi-responses.ts'

/** The list of operations, for people. The whole truth is in openapi.json. */
export const apiPage = (contract: Contract): string => {
  const sections = Object.entries(contract).map(([resource, operations]) => {
    const rows = Object.entries(operations).map(([name, operation]) => [
      `\`${operation.method} ${operation.path}\`${operation.alsoAtRoot ? ', at the root too' : ''}`,
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
      'What it does',
      'Who may call',
      'Answers',
      'Refuses with',
      'Streams',
      'Headers it takes',
    ]
    return `## ${resource}\n\n${table(head, rows)}`
  })
  return `${pageHead('Operations', 'the contract, `packages/contract/src/`,')}
Paths are relative to \`https://<host>${apiBasePath}\`; this is revision ${apiRevision}. Fields, types and bounds are in
[openapi.json](../../packages/contract/openapi.json).

Who may call: a scope means a key, a browser session or a short-lived token that holds it. What each credential is, and how
it is sent: [authentication](../guides/authentication.md).

Beside the refusals in its row, any operation may answer ${codes(protocolErrors)}.

${sections.join('\n\n')}

## Scopes

What a key with one scope can do. A scope without an operation can be given already, and opens nothing yet.

${table(['Scope', 'Operations'], scopeRows(contract))}
`
}

const scopeRows = (contract: Contract): string[][] =>
  scopes.map((scope) => {
    const opened = Object.entries(contract).flatMap(([resource, operations]) =>
      Object.entries(operations)
        .filter(([, operation]) => operation.scope === scope)
        .map(([name]) => `\`${resource}.${name}\``),
    )
    return [`\`${scope}\``, opened.join(', ')]
  })

const codes = (list: readonly ErrorCode[]): string => list.map((code) => `[\`${code}\`](errors.md#${code})`).join(', ')
