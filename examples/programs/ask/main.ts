// Asks an agent in the terminal and prints the answer while it is produced: node main.ts "What is a quorum?"
import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService() // reads ARS_API_KEY and ARS_BASE_URL
const agentId = process.env.AGENT_ID ?? ''

const stream = client.runs.stream({ agent_id: agentId, input: { query: process.argv[2] ?? 'Hello' } })
for await (const frame of stream) {
  if (frame.type === 'run.output.delta') process.stdout.write(frame.delta)
  if (frame.type === 'run.output.reset') process.stdout.write('\n[the text above is void]\n')
}
const run = await stream.finalRun()
console.log(`\n${run.status}, ${run.tokens_used} tokens`)
if (run.error) console.error(run.error.code, run.error.message)
process.exitCode = run.status === 'completed' ? 0 : 1
