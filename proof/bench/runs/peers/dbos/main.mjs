// The work of the bench on DBOS: a workflow of two steps, each a constant-time function, behind an HTTP server.
import { appendFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { DBOS } from '@dbos-inc/dbos-sdk'

const { PEER_STEP_LOG: stepLog, PEER_PORT: port, PEER_DATABASE_URL: systemDatabaseUrl } = process.env

/** Notes that the step began, if the run is one of the recovery, and waits. */
const work = async ({ key, delay_ms: delayMs }, step) => {
  if (delayMs === 0) return
  appendFileSync(stepLog, `${key} ${step}\n`)
  await sleep(delayMs)
}

const first = async (input) => {
  await work(input, 1)
  return { steps: 1 }
}

const second = async (input) => {
  await work(input, 2)
  return { steps: 2, result: '2 steps done' }
}

const twoSteps = DBOS.registerWorkflow(
  async (input) => {
    await DBOS.runStep(() => first(input), { name: 'first' })
    return DBOS.runStep(() => second(input), { name: 'second' })
  },
  { name: 'twoSteps' },
)

const bodyOf = async (request) => {
  let text = ''
  for await (const chunk of request) text += chunk
  return JSON.parse(text)
}

const routes = {
  'GET /ok': async () => ({}),
  // Starts a run and answers when it has ended.
  'POST /runs/wait': async (request) => (await DBOS.startWorkflow(twoSteps)(await bodyOf(request))).getResult(),
  // Starts a run and answers at once.
  'POST /runs': async (request) => {
    const input = await bodyOf(request)
    await DBOS.startWorkflow(twoSteps, { workflowID: input.key })(input)
    return {}
  },
}

const answer = async (request) => {
  const { method, url = '' } = request
  const route = routes[`${method} ${url}`]
  if (route) return route(request)
  return { status: (await DBOS.retrieveWorkflow(url.slice('/runs/'.length)).getStatus())?.status ?? 'UNKNOWN' }
}

DBOS.setConfig({ name: 'bench', systemDatabaseUrl, applicationVersion: '1', logLevel: 'warn', runAdminServer: false })
await DBOS.launch()
createServer((request, response) => {
  answer(request).then(
    (body) => response.setHeader('content-type', 'application/json').end(JSON.stringify(body)),
    (error) => {
      response.statusCode = 500
      response.end(String(error))
    },
  )
}).listen(Number(port), '127.0.0.1')
