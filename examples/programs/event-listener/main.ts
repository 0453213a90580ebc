// Handles each event once, without a public address. The file keeps the position, so a restart misses nothing.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService()
const file = 'position.txt'
const lastEventId = existsSync(file) ? readFileSync(file, 'utf8') : undefined

const events = client.events.watch({ type: ['run.completed', 'run.failed'] }, { lastEventId })
for await (const event of events) {
  if (event.type === 'run.completed') console.log('completed', event.data.id, event.data.output_text)
  if (event.type === 'run.failed') console.log('failed', event.data.id, event.data.error?.code)
  writeFileSync(file, event.id)
}
