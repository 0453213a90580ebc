import { apiBasePath, apiRevision, type ErrorCode, protocolErrors } from '@ars/contract'
import { pageHead, table } from './markdown.ts'
import type { Contract } from './openapi.ts'
import { statusesOf } from './openapi-responses.ts'

/** The list of operations, for people. The whole truth is in openapi.json. */
export const apiPage = (contract: Contract): string => {
  const sections = Object.entries(contract).map(([resource, operations]) => {
    const rows = Object.entries(operations).map(([name, operation]) => [
      `\`${operation.method} ${operation.path}\``,
      `\`${resource}.${name}\``,
      operation.summary,
      `\`${operation.scope}\``,
      statusesOf(operation).join(', '),
      codes(operation.errors),
      operation.streams ? 'yes' : 'no',
      [operation.idempotent && '`Idempotency-Key`', operation.prefers && '`Prefer`'].filter(Boolean).join(', '),
    ])
    const head = [
      'Request',
      'Operation',
      'What it does',
      'Scope',
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

Beside the refusals in its row, any operation may answer ${codes(protocolErrors)}.

${sections.join('\n\n')}
`
}

const codes = (list: readonly ErrorCode[]): string => list.map((code) => `[\`${code}\`](errors.md#${code})`).join(', ')
