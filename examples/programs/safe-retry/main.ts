// Handles each order exactly once, also if the program is stopped and started again: node main.ts order-1 order-2
import { AgentRunService, RateLimitError } from '@agent-run-service/sdk'

const client = new AgentRunService({ maxRetries: 5 })
const agentId = process.env.AGENT_ID ?? ''

for (const order of process.argv.slice(2)) {
  try {
    const params = { agent_id: agentId, input: { query: `Confirm ${order}` }, metadata: { order } }
    // For 24 hours, the same key returns the run that exists already.
    const run = await client.runs.createAndWait(params, { idempotencyKey: order })
    console.log(order, run.id, run.status, run.output_text)
  } catch (error) {
    if (!(error instanceof RateLimitError)) throw error
    console.error(order, error.code, `retry in ${error.retryAfterMs} ms`)
    process.exitCode = 1
  }
}
