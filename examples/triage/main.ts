/*
 * Support triage from end to end: messages come in, an agent sorts each and drafts a reply, and a person approves the reply on
 * a page before it is sent. The service keeps everything, so this program needs no database and may be restarted at any time.
 *
 * MODEL is a model of your service, such as openai/gpt-5-mini; without it, answers are simulated.
 */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { AgentRunService, ApiError, type Run } from '@agent-run-service/sdk'

type Message = { id: string; customer: string; subject: string; message: string }
type Decision = { run: string; action: string; type: 'approve' | 'reject' }
type Triage = { category: string; urgency: string; team: string; reply: string }

const client = new AgentRunService() // reads ARS_API_KEY and ARS_BASE_URL
const page = readFileSync(new URL('page.html', import.meta.url))
const agentName = 'triage-example'
const policy = 'Refunds are decided by the billing team within two working days.'

/** The agent of this program: the one from an earlier start, or a new one from the catalog. */
const findAgent = async (): Promise<string> => {
  for await (const { id, name } of client.agents.list({ q: agentName, status: 'active' }))
    if (name === agentName) return id
  const model = process.env.MODEL
  const { id } = await client.agents.hire('support-triage', { name: agentName, config: model ? { model } : {} })
  return id
}
const agentId = await findAgent()

/** The id of the message is the idempotency key: a message that your help desk sends again makes no second run. */
const receive = async ({ id, ...message }: Message) => {
  const input = { ...message, policy }
  const run = await client.runs.create(
    { agent_id: agentId, input, metadata: { ticket: id } },
    { wait: false, idempotencyKey: `ticket-${id}` },
  )
  return { run: run.id }
}

/** A row of the page. */
const ticketOf = ({ id, status, metadata, input, output, error, required_actions: [question] }: Run) => {
  const triage = output as Triage | null
  return {
    run: id,
    ticket: metadata.ticket,
    subject: input.subject,
    status,
    action: question?.id,
    draft: question?.tool_call?.arguments ?? triage?.reply,
    result: triage ? `${triage.category}, ${triage.urgency}, for ${triage.team}` : error?.message,
  }
}

const list = async () => (await client.runs.list({ agent_id: agentId, limit: 50 })).data.map(ticketOf)

const decide = async ({ run, action, type }: Decision) => {
  await client.runs.act(run, { type, action_id: action, comment: 'Decided on the triage page' })
  return ticketOf(await client.runs.wait(run))
}

const respond = async (request: IncomingMessage): Promise<unknown> => {
  const body = async () => JSON.parse(await text(request))
  switch (`${request.method} ${request.url}`) {
    case 'GET /tickets':
      return await list()
    case 'POST /messages':
      return await receive(await body())
    case 'POST /decisions':
      return await decide(await body())
    default:
      return page
  }
}

const server = createServer(async (request, response) => {
  try {
    const answer = await respond(request)
    response.end(answer === page ? page : JSON.stringify(answer))
  } catch (error) {
    console.error(error)
    response
      .writeHead(error instanceof ApiError ? (error.status ?? 502) : 500)
      .end(JSON.stringify({ error: String(error) }))
  }
})
server.listen(Number(process.env.PORT ?? 8080), 'localhost', () => console.log('listening'))
