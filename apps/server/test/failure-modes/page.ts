import type { FailureMode } from './table.ts'

const faultWords = {
  refused: 'connections are reset or refused',
  hung: 'connections are accepted, and no byte is answered',
  slow: 'every byte arrives late',
  'half-open': 'connections that exist are dead without notice; new ones work',
}

/** `docs/explanation/failure-modes.md`. */
export const failureModesPage = (modes: readonly FailureMode[]): string => `# Failure modes

What a caller sees when a part of the installation, or a server that a run calls, fails. \`apps/server/test/failure-modes.slow.test.ts\`
plays every row over real connections, and \`apps/server/test/failure-modes.test.ts\` writes this page; do not edit it.

${Object.entries(faultWords)
  .map(([fault, words]) => `- **${fault}**: ${words}.`)
  .join('\n')}

The times hold at the default settings for a request that waits 5 seconds (\`Prefer: wait=5\`). Runs of a model provider or remote agent that hangs have a
timeout of 5 seconds. A longer wait or timeout makes the answer later by the difference.

| Part | Fault | The caller sees | Within |
|---|---|---|---|
${modes.map(({ part, fault, sees, withinMs }) => `| ${part} | ${fault} | ${sees} | ${withinMs / 1000} s |`).join('\n')}

A run that was accepted is never lost: it continues when the part is back, and a request that is repeated with its \`Idempotency-Key\` finds it.
[Operate the service](../operate/README.md#failures-of-a-component) says what an operator does. \`pnpm chaos hung-redis\` freezes Redis for a minute under load.

## Fail-over and restore of Postgres

A standby that did not receive the last commits, and a back-up that is restored, lack the end of the history: the lost tail. The tests of the stores
take rows back as a lost tail would (\`packages/core/src/runs/execute/claim-fence.test.ts\`, \`packages/core/src/events/event-stream.service.test.ts\`).

| In the lost tail | With a synchronous standby | With an asynchronous standby, or a restore |
|---|---|---|
| a run that was accepted | none is lost | it is gone: 404, and its \`Idempotency-Key\` can be used again |
| a claim of a step | none is lost | another worker claims the step. The worker before it can neither write to the run nor start a tool call, also with the same attempt |
| a tool call that was started | it is not sent again without the decision of a person, unless its tool may be repeated | it can be sent twice, and both requests have the same key \`run/step/call\` |
| a request to a remote agent | it can be sent again, with the same key \`run/step\` | as with a synchronous standby |
| events and frames that a stream has shown | none is lost | the stream is closed about 7 seconds after the workers have reached the new primary, at the latest. A reader that resumes after a lost one gets 404 (events) or 400 (frames of a run) |

Keys of calls are in \`Idempotency-Key\` and, for MCP servers, in \`_meta.idempotency_key\` ([tools](../guides/tools.md#mcp-server-requirements)).
`
