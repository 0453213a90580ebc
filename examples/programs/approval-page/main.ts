// A page on which a person approves what an agent asks. The API key stays on the server. Open http://localhost:8080.
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService()
const agentId = process.env.AGENT_ID ?? ''
const page = readFileSync(new URL('page.html', import.meta.url))

const pay = async (response: ServerResponse): Promise<void> => {
  const run = await client.runs.createAndWait({ agent_id: agentId, input: { message: 'Pay 20 euros?' } })
  const { token } = await client.sessionTokens.create({ scopes: ['runs:read', 'runs:approve'], run_id: run.id })
  const url = `${client.baseUrl}/runs/${run.id}`
  response.end(JSON.stringify({ url, token, actions: run.required_actions }))
}

const server = createServer((request, response) => {
  if (request.url !== '/payments') return response.writeHead(200, { 'content-type': 'text/html' }).end(page)
  return pay(response).catch((error) => {
    console.error(error)
    response.writeHead(502).end()
  })
})
server.listen(Number(process.env.PORT ?? 8080), 'localhost')
