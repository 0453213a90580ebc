import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '@ars/platform/clock'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openProviderAddress } from './provider-address.service.ts'

const asked: string[] = []
const server = createServer((request, response) => {
  asked.push(request.url ?? '')
  if (request.url === '/away') response.writeHead(302, { location: '/elsewhere' })
  response.end('ok')
})
let port = 0

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  port = (server.address() as AddressInfo).port
})

afterAll(() => {
  server.closeAllConnections()
  server.close()
})

test('a private address that the operator configured is reachable, by IP address and by name', async () => {
  for (const host of ['127.0.0.1', 'localhost']) {
    const address = openProviderAddress(`http://${host}:${port}/v1`, systemClock)
    expect(await (await address.fetch(`http://${host}:${port}/v1/models`)).text()).toBe('ok')
    address.close()
  }
  expect(asked).toEqual(['/v1/models', '/v1/models'])
})

test('it permits only that host and port, and follows no redirect', async () => {
  const address = openProviderAddress(`http://127.0.0.1:${port}`, systemClock)
  for (const other of [
    `http://127.0.0.1:${port + 1}/`,
    `http://localhost:${port}/`,
    `https://127.0.0.1:${port}/`,
    'nonsense',
  ]) {
    await expect(address.fetch(other)).rejects.toThrow('A provider is called at its own address only')
  }
  expect((await address.fetch(`http://127.0.0.1:${port}/away`)).status).toBe(302)
  expect(asked).not.toContain('/elsewhere')
  address.close()
})

test('without an address configured by the operator, the private network is closed', async () => {
  const address = openProviderAddress(undefined, systemClock)
  await expect(address.fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('must begin with https://')
  await expect(address.fetch('https://127.0.0.1/')).rejects.toThrow('Only hosts of the public Internet may be called')
  address.close()
})
