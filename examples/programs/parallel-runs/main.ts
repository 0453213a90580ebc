// Asks many questions, four at a time, and gives each of them a minute: node main.ts < questions.txt
import { text } from 'node:stream/consumers'
import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService()
const agentId = process.env.AGENT_ID ?? ''
const questions = (await text(process.stdin)).trim().split('\n')
const answers: string[] = []

const waiting = questions.entries()
const worker = async (): Promise<void> => {
  for (const [n, query] of waiting) {
    const run = await client.runs.createAndWait({ agent_id: agentId, input: { query }, timeout_seconds: 60 })
    answers[n] = `${query} -> ${run.output_text ?? run.status}`
  }
}
await Promise.all([worker(), worker(), worker(), worker()])
console.log(answers.join('\n'))
