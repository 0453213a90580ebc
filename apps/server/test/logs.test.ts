import { afterAll, beforeAll, expect, test } from 'vitest'
import { createServiceLog, switchLevelOnSignal } from '../src/service-log.ts'
import { version } from '../src/version.ts'
import { type App, startApp, until } from './app.ts'

let app: App
beforeAll(async () => {
  app = await startApp({ role: 'gateway' })
  await app.join('worker')
})
afterAll(() => app.stop())

type Line = Record<string, unknown>

const linesWith = (text: string): Line[] =>
  app.logLines.filter((line) => line.includes(text)).map((line) => JSON.parse(line))

const createRun = (agent: string, input: unknown, headers: Record<string, string> = {}) =>
  app.call('POST', '/v2/runs', { body: { agent_id: app.tenant.agents[agent], input }, headers })

const endOf = (run: string): Promise<Line> =>
  until('the line of the end', async () => linesWith(run).find(({ msg }) => msg === 'run ended'))

test('a search for the id of a run finds its requests at the gateway and its end at the worker', async () => {
  const created = await createRun('test-echo', { message: 'hello' })
  const id = created.body.id
  await app.call('GET', `/v2/runs/${id}`)
  await endOf(id)
  const found = linesWith(id)
  expect(found).toContainEqual(
    expect.objectContaining({
      role: 'gateway',
      msg: 'request',
      operation: 'runs.create',
      request_id: created.headers['x-request-id'],
      run_id: id,
      status: 200,
    }),
  )
  expect(found).toContainEqual(expect.objectContaining({ operation: 'runs.get', run_id: id }))
  expect(found.filter(({ msg }) => msg === 'run ended')).toEqual([
    expect.objectContaining({
      role: 'worker',
      run_id: id,
      org_id: expect.stringMatching(/^org_/),
      agent_id: app.tenant.agents['test-echo'],
      agent_version: 1,
      status: 'completed',
      steps: 1,
      input_tokens: created.body.usage.input_tokens,
      output_tokens: created.body.usage.output_tokens,
      duration_ms: created.body.latency_ms,
    }),
  ])
})

test('the lines of a failed run and of a refused request have their error code', async () => {
  const failed = await createRun('test-fail', { message: 'hello' })
  expect(await endOf(failed.body.id)).toMatchObject({ status: 'failed', code: failed.body.error.code })
  const unknown = 'run_01m7gmyk67efg9k9rj0prx8vc2'
  const refused = await app.call('GET', `/v2/runs/${unknown}`)
  expect(refused.status).toBe(404)
  const line = await until('the line of the request', async () => linesWith(unknown)[0])
  expect(line).toMatchObject({ msg: 'request', code: 'not_found', run_id: unknown })
})

test('a run that is cancelled has one line of its end', async () => {
  const { body } = await createRun('test-approval', { message: 'hello' })
  expect(body.status).toBe('requires_action')
  await app.call('DELETE', `/v2/runs/${body.id}`)
  expect(await endOf(body.id)).toMatchObject({ role: 'gateway', status: 'cancelled' })
  expect(linesWith(body.id).filter(({ msg }) => msg === 'run ended')).toHaveLength(1)
})

test('every line names its process and release, and none has an id in the form of the database', () => {
  expect(app.logLines.length).toBeGreaterThan(5)
  for (const line of app.logLines) {
    expect(JSON.parse(line)).toMatchObject({ version, host: expect.any(String), pid: process.pid })
    expect(line).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/)
  }
})

test('SIGUSR2 switches the level to debug, and again back', () => {
  const lines: string[] = []
  const log = createServiceLog({ level: 'warn', role: 'worker', write: (line) => lines.push(line) })
  const others = process.listeners('SIGUSR2')
  switchLevelOnSignal(log)
  const added = process.listeners('SIGUSR2').filter((listener) => !others.includes(listener))
  const signal = (): void => {
    for (const listener of added) listener('SIGUSR2')
  }
  try {
    log.debug('one')
    signal()
    log.debug('two')
    signal()
    log.debug('three')
  } finally {
    for (const listener of added) process.off('SIGUSR2', listener)
  }
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['log level changed', 'two', 'log level changed'])
})
