// Runs an agent for each line of a file and writes the answers: node main.ts items.jsonl answers.jsonl
import { readFileSync, writeFileSync } from 'node:fs'
import { AgentRunService, type BatchItem } from '@agent-run-service/sdk'

const client = new AgentRunService()
const agentId = process.env.AGENT_ID ?? ''
const [source = '', target = ''] = process.argv.slice(2)

const lines = readFileSync(source, 'utf8').trim().split('\n')
const items = lines.map((line) => JSON.parse(line) as BatchItem) // {"custom_id": "ticket-1", "input": {…}}

// If cron starts the program again on the same day, the same key finds the same batch.
const idempotencyKey = `${source} ${new Date().toISOString().slice(0, 10)}`
const batch = await client.batches.createAndWait({ agent_id: agentId, items }, { idempotencyKey })

const answers: string[] = []
for await (const { custom_id, status, output_text } of client.batches.results(batch.id))
  answers.push(`${JSON.stringify({ id: custom_id, status, answer: output_text ?? '' })}\n`)
writeFileSync(target, answers.join(''))
console.log(`${batch.progress.items} items, ${batch.progress.failed} failed`)
