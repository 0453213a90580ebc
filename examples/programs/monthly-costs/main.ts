// Prints what each agent did and cost in a month, the most expensive first: node main.ts 2026-11
import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService()
const month = process.argv[2]
const usage = await client.usage.get(month === undefined ? {} : { month })

console.log(`${usage.period.start} to ${usage.period.end}: ${usage.calls.used} of ${usage.calls.limit} calls`)
const agents = usage.by_agent.toSorted((a, b) => b.figures.cost_usd - a.figures.cost_usd)
for (const { agent_id, name, figures } of agents) {
  const { runs, failed, cost_usd } = figures
  console.log(`${name ?? agent_id}: ${runs} runs, ${failed} failed, ${cost_usd.toFixed(2)} USD`)
}
console.log(`total: ${usage.totals.runs} runs, ${usage.totals.cost_usd.toFixed(2)} USD`)
