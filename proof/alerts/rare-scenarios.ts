import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import type { AddressInfo } from 'node:net'
import { basename, join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import type pg from 'pg'
import { waitFor } from '../lab/condition.ts'
import { asSuperuser, at, nothing, type Scenario, superuserOf, type World } from './scenario.ts'

// Alerts whose cause takes more than stopping a component.

let certificate: Buffer | undefined
let locker: pg.Client | undefined
let endpoint: { server: https.Server; webhookId: string } | undefined

const lateDeliveries = 110
const answerMs = 3_000

export const rareScenarios: readonly Scenario[] = [
  {
    name: 'a role has lost a right that an operation needs',
    alerts: ['ArsServerErrors'],
    logs: ['request failed'],
    cause: ({ stack }) =>
      asSuperuser(stack, async (client) => void (await client.query('revoke select on webhooks from ars_app'))),
    meanwhile: async ({ call }) => {
      await call('GET', '/v2/webhooks')
      await at(200)
    },
    cure: ({ stack }) =>
      asSuperuser(stack, async (client) => void (await client.query('grant select on webhooks to ars_app'))),
  },
  {
    name: 'a step kills its worker five times',
    alerts: ['ArsRunsFailInside'],
    logs: ['run ended', '"code":"internal_error"'],
    fireMs: 60_000,
    cause: async (world) => {
      const { stack, worker, createRun } = world
      await createRun('test-steps', { steps: 2, delay_ms: 100, kill_worker_at_step: 1 })
      for (let deaths = 1; deaths < 5; deaths++) {
        await untilDead(world)
        await worker.start()
      }
      await untilDead(world)
      // The alert needs a scrape of the new worker before the run ends, so the engine waits.
      await stack.restate.stop()
      await worker.start()
      await at(8_000)
      await stack.restate.start()
    },
    cure: nothing,
  },
  {
    name: 'a forgotten transaction holds the clock of events',
    alerts: ['ArsEventsNotPlaced'],
    fireMs: 300_000,
    cause: async ({ stack }) => {
      locker = await superuserOf(stack)
      await locker.query('begin')
      await locker.query('select position from event_clock for update')
    },
    meanwhile: async ({ createRun }) => {
      await Promise.all(Array.from({ length: 20 }, () => createRun('test-echo', { query: 'told later' })))
    },
    cure: async () => {
      await locker?.query('rollback')
      await locker?.end()
    },
  },
  {
    name: 'a forgotten transaction holds the cursor of the figures',
    alerts: ['ArsBackgroundLate'],
    fireMs: 300_000,
    cause: async ({ stack, createRun }) => {
      locker = await superuserOf(stack)
      await locker.query('begin')
      await locker.query('select from usage_cursor for update')
      await createRun('test-echo', { query: 'counted later' })
    },
    cure: async () => {
      await locker?.query('rollback')
      await locker?.end()
    },
  },
  {
    name: 'the endpoint of a webhook answers slowly',
    alerts: ['ArsDeliveriesLate'],
    fireMs: 300_000,
    cause: async (world) => {
      endpoint = await listenSlowly(world)
      for (let n = 0; n < lateDeliveries; n++) await world.createRun('test-echo', { query: 'told late' })
    },
    cure: async ({ call }) => {
      if (!endpoint) return
      await call('DELETE', `/v2/webhooks/${endpoint.webhookId}`)
      endpoint.server.close()
      endpoint.server.closeAllConnections()
    },
  },
  {
    name: 'a gateway of another release runs beside the others',
    alerts: ['ArsVersionsMixed'],
    cause: async ({ other }) => {
      copyRelease(other.checkout)
      await other.gateway.start()
    },
    cure: ({ other }) => other.gateway.stop(),
  },
  {
    name: 'a certificate is valid for five more days',
    alerts: ['ArsCertificateExpires'],
    cause: async ({ stack: { tls } }) => {
      certificate = readFileSync(tls.certFile)
      const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
      const args = ['req', '-x509', '-key', tls.keyFile, '-days', '5', ...names, '-out', tls.certFile]
      execFileSync('openssl', args, { stdio: 'ignore' })
    },
    cure: async ({ stack: { tls }, gateway }) => {
      if (certificate) writeFileSync(tls.certFile, certificate)
      const replaced = () => readFileSync(gateway.logFile, 'utf8').split('certificate replaced').length > 2
      await waitFor('the log line of the new certificate', replaced, { timeoutMs: 60_000 })
    },
  },
]

const untilDead = async ({ worker }: World): Promise<void> => {
  await waitFor('the death of the worker', () => worker.pid() === undefined, { timeoutMs: 120_000 })
}

const listenSlowly = async ({ stack: { tls }, call }: World): Promise<NonNullable<typeof endpoint>> => {
  const files = { cert: readFileSync(tls.certFile), key: readFileSync(tls.keyFile) }
  const server = https.createServer(files, (request, response) => {
    request.resume()
    setTimeout(() => response.end(), answerMs)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { status, text } = await call('POST', '/v2/webhooks', {
    url: `https://127.0.0.1:${port}/slow`,
    events: ['run.completed'],
  })
  if (status !== 201) throw new Error(`the webhook was not created: ${text}`)
  return { server, webhookId: (JSON.parse(text) as { id: string }).id }
}

/** The same program with another version. Links between packages are relative, so they lead to the copies. */
const copyRelease = (checkout: string): void => {
  mkdirSync(checkout, { recursive: true })
  for (const folder of ['apps/server', 'packages', 'catalog', 'db']) {
    cpSync(join(repositoryDir, folder), join(checkout, folder), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !['dist', 'test'].includes(basename(path)),
    })
  }
  symlinkSync(join(repositoryDir, 'node_modules'), join(checkout, 'node_modules'))
  const manifest = join(checkout, 'apps/server/package.json')
  const text = readFileSync(manifest, 'utf8')
  writeFileSync(manifest, text.replace(/"version": "[^"]+"/, '"version": "99.0.0"'))
}
