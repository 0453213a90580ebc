import type { DeclaredExpression } from './expression-check.ts'
import type { Variables } from './expression-type.ts'

/** Variables of all kinds: those of a rule about a tool call. */
const someVariables: Variables = {
  stage: { kind: 'string' },
  agent: { kind: 'object', fields: { id: { kind: 'string' }, version: { kind: 'int' } } },
  key: { kind: 'string' },
  tool: { kind: 'object', fields: { name: { kind: 'string' }, args: { kind: 'dyn' } } },
  spend: { kind: 'object', fields: { run_usd: { kind: 'double' } } },
  findings: { kind: 'list', of: { kind: 'string' } },
  hour: { kind: 'int' },
  content: { kind: 'dyn' },
  text: { kind: 'string' },
}

export const someValues = {
  stage: 'tool_call',
  agent: { id: 'agt_1', version: 3 },
  key: null,
  tool: { name: 'pay', args: { amount: 100.5 } },
  spend: { run_usd: 0.5 },
  findings: ['EMAIL'],
  hour: 13,
  content: { answer: 42 },
  text: 'Hello, Ada. Hello',
}

export const declaredAs = (wanted: DeclaredExpression['wanted'], source: string): DeclaredExpression => ({
  source,
  variables: someVariables,
  wanted,
})
