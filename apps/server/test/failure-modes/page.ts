import type { FailureMode } from './table.ts'

const faultWords = {
  refused: 'connections are reset or refused',
  hung: 'connections are accepted, and no byte is answered',
  slow: 'every byte arrives late',
  'half-open': 'connections that exist are dead without notice; new ones work',
}

/** `docs/explanation/failure-modes.md`. */
export const failureModesPage = (modes: readonly FailureMode[]): string => `# Failure modes

What a caller sees when a part of the installation, or a server that a run calls, fails. \`apps/server/test/failure-modes.test.ts\` plays
every row over real connections and writes this page; do not edit it.

${Object.entries(faultWords)
  .map(([fault, words]) => `- **${fault}**: ${words}.`)
  .join('\n')}

The times hold at the default settings for a request that waits 5 seconds (\`Prefer: wait=5\`). Runs of a model provider or remote agent that hangs have a
timeout of 5 seconds. A longer wait or timeout makes the answer later by the difference.

| Part | Fault | The caller sees | Within |
|---|---|---|---|
${modes.map(({ part, fault, sees, withinMs }) => `| ${part} | ${fault} | ${sees} | ${withinMs / 1000} s |`).join('\n')}

A run that was accepted is never lost: it continues when the part is back, and a request that is repeated with its \`Idempotency-Key\` finds it.
[Operate the service](../guides/operate.md#failures-of-a-component) says what an operator does. \`pnpm chaos hung-redis\` freezes Redis for a minute under load.
`
