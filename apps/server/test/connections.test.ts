import { request } from 'undici'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, until } from './app.ts'
import { openRaw, type RawSocket } from './raw-socket.ts'

/* How many connections a gateway holds. How long it waits for their clients is in slow-clients.slow.test.ts. */

let app: App
beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

describe('connections', () => {
  const isOpen = async (port: number, from: string): Promise<boolean> => {
    const raw = await openRaw(port, { from })
    raw.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
    await until('an answer or an end', async () => raw.isClosed() || raw.text().includes('ok'))
    return !raw.isClosed()
  }

  test('are limited per address without affecting other addresses; a trusted proxy has no such limit', async () => {
    const bounded = await app.join('gateway', {
      ARS_CONNECTIONS_PER_ADDRESS: '3',
      ARS_TRUSTED_PROXIES: '127.0.0.9/32',
      ARS_HTTP_HOST: '0.0.0.0',
      // The held connections must not end on their own.
      ARS_HEADERS_TIMEOUT_MS: '60000',
      ARS_REQUEST_TIMEOUT_MS: '60000',
    })
    const port = Number(new URL(bounded.url).port)
    const held = [await openRaw(port), await openRaw(port, { plain: true }), await openRaw(port)]
    const refused = await openRaw(port, { plain: true })
    expect(await refused.closed()).toBe('')
    expect(await isOpen(port, '127.0.0.2')).toBe(true)
    for (let at = 0; at < 5; at++) expect(await isOpen(port, '127.0.0.9')).toBe(true)
    const metrics = await (await request(`${bounded.metricsUrl}/metrics`)).body.text()
    expect(metrics).toMatch(/^ars_connections_refused_total\{reason="address"\} 1$/m)
    for (const raw of held) raw.socket.destroy()
    await until('room', async () => isOpen(port, '127.0.0.1'))
    await bounded.stop()
  })

  test('are limited in total; a closed connection makes room', async () => {
    const small = await app.join('gateway', { ARS_CONNECTIONS_MAX: '5' })
    const port = Number(new URL(small.url).port)
    const held: RawSocket[] = []
    for (let at = 0; at < 5; at++) {
      const raw = await openRaw(port)
      raw.write('GET /livez HTTP/1.1\r\nHost: x\r\n\r\n')
      await until('an answer', async () => raw.text().includes('ok'))
      held.push(raw)
    }
    const refused = await openRaw(port, { plain: true })
    expect(await refused.closed()).toBe('')
    held[0]?.socket.destroy()
    await until('room', async () => {
      const answer = await app.call('GET', '/livez', { url: small.url }).catch(() => null)
      return answer?.status === 200
    })
    for (const raw of held) raw.socket.destroy()
    await small.stop()
  })
})
