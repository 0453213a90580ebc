// Gives half of the runs new instructions, asks some questions, then promotes or rolls back: node main.ts "Be brief."
import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService()
const agentId = process.env.AGENT_ID ?? ''
const { deployment: canary } = await client.agents.update(agentId, {
  config: { instructions: process.argv[2] ?? '' },
  rollout: { strategy: 'canary', traffic_percent: 50 },
})
if (!canary) throw new Error('The agent has these instructions already.')

for (let n = 0; n < 10; n++)
  await client.runs.createAndWait({ agent_id: agentId, input: { query: 'Which plan do I have?' } })

let failed = 0
for await (const _ of client.runs.list({ deployment_id: canary.id, status: 'failed' })) failed++

const ended =
  failed === 0
    ? await client.deployments.promote(canary.id)
    : await client.deployments.rollback(canary.id, { reason: 'runs failed' })
console.log(`version ${canary.version}: ${failed} failed, ${ended.status}`)
