import type { ExpressionFacts } from './expression-facts.ts'

/** The facts of a tool call. */
export const someFacts: ExpressionFacts = {
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
