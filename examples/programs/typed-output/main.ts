// Reads fields out of a document. The service checks the answer against the schema of the agent: node main.ts invoice.txt
import { readFileSync } from 'node:fs'
import { AgentRunService } from '@agent-run-service/sdk'

type Invoice = { number: string; total: number; due: string }

const client = new AgentRunService()
const agentId = process.env.AGENT_ID ?? ''
const text = readFileSync(process.argv[2] ?? 'invoice.txt', 'utf8')

const run = await client.runs.createAndWait({ agent_id: agentId, input: { text } })
if (run.status !== 'completed') throw new Error(`${run.status}: ${run.error?.message}`)
const { number, total, due } = run.output as Invoice
console.log(`Invoice ${number}: ${total.toFixed(2)} euros until ${due}`)
