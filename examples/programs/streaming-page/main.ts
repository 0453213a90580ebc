// A page that shows an answer while it is produced. The API key stays on the server. Open http://localhost:8080.
import { readFileSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import { AgentRunService } from '@agent-run-service/sdk'

const client = new AgentRunService()
const agentId = process.env.AGENT_ID ?? ''
const page = readFileSync(new URL('page.html', import.meta.url))

const ask = async (query: string, response: ServerResponse): Promise<void> => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const stream = client.runs.stream({ agent_id: agentId, input: { query } })
  response.on('close', () => stream.close()) // the reader has left
  for await (const frame of stream) response.write(`data: ${JSON.stringify(frame)}\n\n`)
  response.end()
}

const server = createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
  if (pathname !== '/ask') return response.writeHead(200, { 'content-type': 'text/html' }).end(page)
  return ask(searchParams.get('query') ?? '', response).catch((error) => {
    console.error(error)
    response.destroy()
  })
})
server.listen(Number(process.env.PORT ?? 8080), 'localhost')
