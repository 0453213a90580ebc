import { describe, expect, test } from 'vitest'
import { platformBounds } from '../bounds.ts'
import { createAddressCheck } from './address.ts'
import { harmlessUrls, hostileHosts, hostileUrls } from './test/hostile-urls.ts'
import { createUrlCheck } from './url.ts'

const check = createUrlCheck({ checkAddress: createAddressCheck() })
const sentence = /^\S.*\.$/

describe('a URL of a customer', () => {
  test.for(hostileHosts)('is refused when it leads into a private network: %s', (host) => {
    expect(check(`https://${host}/`)).toEqual({ ok: false, reason: expect.stringMatching(sentence) })
  })

  test.for(hostileUrls.map((url) => [JSON.stringify(url).slice(0, 80), url] as const))(
    'is refused when it is odd: %s',
    ([, url]) => {
      expect(check(url)).toEqual({ ok: false, reason: expect.stringMatching(sentence) })
    },
  )

  test.for(harmlessUrls)('passes in one spelling when it is public: %s', ([given, normal]) => {
    const verdict = check(given)
    expect(verdict.ok && verdict.url.href).toBe(normal)
  })
})

test('the reason describes the fault', () => {
  expect(check('https://2130706433/')).toEqual({
    ok: false,
    reason: '127.0.0.1 is a loopback address. Only hosts of the public Internet may be called.',
  })
  expect(check('https://hooks.example.com:6379/')).toEqual({
    ok: false,
    reason: 'Port 6379 is not allowed. Allowed: 443. The operator allows more with ARS_EGRESS_ALLOW_PORTS.',
  })
})

test('an operator can allow a single port', () => {
  const allowing = createUrlCheck({ checkAddress: createAddressCheck(), allowPorts: [8443] })
  expect(allowing('https://hooks.example.com:8443/').ok).toBe(true)
  expect(allowing('https://hooks.example.com:8444/')).toEqual({
    ok: false,
    reason: 'Port 8444 is not allowed. Allowed: 443, 8443. The operator allows more with ARS_EGRESS_ALLOW_PORTS.',
  })
})

test('plain http to your own computer is refused with the way to receive events there', () => {
  expect(check('http://localhost:3000/hook')).toMatchObject({ reason: expect.stringContaining('`ars listen`') })
  expect(check('http://hooks.example.com/')).toEqual({ ok: false, reason: 'The address must begin with https://.' })
})

test('an allowed internal range can be used by name, and metadata stays forbidden', () => {
  const allowing = createUrlCheck({ checkAddress: createAddressCheck(['10.0.0.0/8']), allowPrivateNames: true })
  expect(allowing('https://10.1.2.3/').ok).toBe(true)
  expect(allowing('https://hooks.corp.internal/').ok).toBe(true)
  expect(allowing('https://hooks/').ok).toBe(true)
  expect(allowing('https://192.168.0.1/').ok).toBe(false)
  expect(allowing('https://metadata.google.internal/').ok).toBe(false)
})

test('plain http is allowed only on a test stack', () => {
  const testing = createUrlCheck({ checkAddress: createAddressCheck(), allowPlainHttp: true })
  expect(testing('http://hooks.example.com/').ok).toBe(true)
  expect(testing('http://hooks.example.com:8080/').ok).toBe(false)
  expect(testing('ftp://hooks.example.com/').ok).toBe(false)
})

test('an address and its host have the bounds of their rows', () => {
  const begin = 'https://hooks.example.com/'
  const { egressUrl, egressHost } = platformBounds
  expect(check(begin.padEnd(egressUrl.chars, 'a')).ok).toBe(true)
  expect(check(begin.padEnd(egressUrl.chars + 1, 'a'))).toMatchObject({ reason: expect.stringContaining('longer') })
  const host = (chars: number): string =>
    `${'a'.repeat(chars % 50)}.${`${'a'.repeat(49)}.`.repeat(Math.floor(chars / 50))}`
  const longHost = host(egressHost.chars - 'example.com'.length - 1)
  expect(check(`https://${longHost}example.com/`).ok).toBe(true)
  expect(check(`https://a${longHost}example.com/`)).toMatchObject({ reason: expect.stringContaining('longer') })
})
