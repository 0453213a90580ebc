// Runs an agent each working day at seven in Berlin. Started again, it changes the schedule instead of adding one.
import { AgentRunService, type Schedule } from '@agent-run-service/sdk'

const client = new AgentRunService()
const wanted = {
  name: 'morning-report',
  agent_id: process.env.AGENT_ID ?? '',
  cron: '0 7 * * 1-5',
  time_zone: 'Europe/Berlin',
  input: { query: 'What happened yesterday?' },
  overlap: 'skip',
} as const

let schedule: Schedule | undefined
for await (const each of client.schedules.list()) if (each.name === wanted.name) schedule = each
schedule = schedule ? await client.schedules.update(schedule.id, wanted) : await client.schedules.create(wanted)

console.log(schedule.id, schedule.status)
for (const date of schedule.next_dates) console.log(new Date(date).toISOString())
