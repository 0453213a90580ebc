import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { stackFacts, testEngine } from '@ars/testkit/stack'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, freePort, sharedGateway } from './app.ts'

/*
 * The reachable ports, as Linux reports them. `pnpm attacks ports` checks the same over a network, from another network
 * namespace, where one can be created.
 */

let app: App
beforeAll(async () => {
  // The addresses of the worker and of the metrics are not set: the defaults apply.
  app = await sharedGateway({ ARS_HTTP_HOST: '0.0.0.0' })
})
afterAll(() => app.stop())

type Listening = { address: string; port: number; inode: string }

const listening = (): Listening[] =>
  ['/proc/net/tcp', '/proc/net/tcp6'].flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      // 0A: listening.
      .filter(([, , , state]) => state === '0A')
      .map(([, local = '', , , , , , , , inode = '']) => {
        const [address = '', port = ''] = local.split(':')
        return { address, port: Number.parseInt(port, 16), inode }
      }),
  )

// 127.0.0.0/8 and ::1, in the kernel's spelling: groups of four bytes, the last byte first.
const isLoopback = ({ address }: Listening): boolean =>
  /^[0-9A-F]{6}7F$/.test(address) ||
  address === '00000000000000000000000001000000' ||
  /^0{16}FFFF0000[0-9A-F]{6}7F$/.test(address)

const inodesOfThisProcess = (): Set<string> => {
  const links = readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [readlinkSync(`/proc/self/fd/${fd}`)]
    } catch {
      return [] // Closed since it was listed.
    }
  })
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []))
}

test('of gateway and worker, only the HTTPS port is reachable from outside', () => {
  const own = inodesOfThisProcess()
  const ours = listening().filter(({ inode }) => own.has(inode))
  const ports = (all: Listening[]) => all.map(({ port }) => port)
  expect(ports(ours)).toEqual(
    expect.arrayContaining([app.port, Number(app.env.ARS_WORKER_PORT), Number(new URL(app.metricsUrl).port)]),
  )
  expect(ports(ours.filter((one) => !isLoopback(one)))).toEqual([app.port])
})

test('Postgres, Redis and the engine listen on loopback only', () => {
  const { postgresPort, redisPort } = stackFacts()
  const { ingressUrl, adminUrl } = testEngine()
  for (const port of [postgresPort, redisPort, ...[ingressUrl, adminUrl].map((url) => Number(new URL(url).port))]) {
    const found = listening().filter((one) => one.port === port)
    expect(found.length).toBeGreaterThan(0)
    expect(found.filter((one) => !isLoopback(one))).toEqual([])
  }
})

test('gateways share a port: the second serves it when the first has stopped', async () => {
  const port = { ARS_HTTP_PORT: String(await freePort()) }
  const first = await app.join('gateway', port)
  const second = await app.join('gateway', port)
  const url = `https://localhost:${port.ARS_HTTP_PORT}`
  await first.stop()
  expect((await app.call('GET', '/v2/runs', { url })).status).toBe(200)
  await second.stop()
})
