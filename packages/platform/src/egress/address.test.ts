import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { expect, test } from 'vitest'
import { createAddressCheck, parseRange } from './address.ts'

const check = createAddressCheck()
const ipv4 = fc.ipV4()
const bytesOf = (address: string): number[] => ipaddr.parse(address).toByteArray()
const hex = (address: string): string => Buffer.from(bytesOf(address)).toString('hex')
const inWords = (text: string): string => text.replaceAll(/(.{4})(?=.)/g, '$1:')

// Listed again independently from the IANA registries, and also checked with the library's table.
const specialOfIpv4 = [
  '0',
  '10',
  '100.64',
  '127',
  '169.254',
  '172.16',
  '192.0.0',
  '192.0.2',
  '192.31.196',
  '192.52.193',
]
const moreOfIpv4 = [
  '192.88.99',
  '192.168',
  '192.175.48',
  '198.18',
  '198.51.100',
  '203.0.113',
  '224',
  '239',
  '240',
  '255',
]
const specialOfIpv6 = ['0000', '00000000', '0100000000000000', '20010000', '200100', '20010002', '20010010', '20010020']
const moreOfIpv6 = ['20010db8', '2002', '3fff0', '5f00', 'fc', 'fd', 'fe8', 'feb', 'fec', 'ff', '0064ff9b0001']

test('no IPv4 address of a special range is allowed', () => {
  const prefix = fc.constantFrom(...specialOfIpv4, ...moreOfIpv4)
  fc.assert(
    fc.property(prefix, fc.uint8Array({ minLength: 3, maxLength: 3 }), (first, rest) => {
      const address = [...first.split('.'), ...rest].slice(0, 4).join('.')
      expect([address, check(address).ok]).toEqual([address, false])
      expect(ipaddr.parse(address).range()).not.toBe('unicast')
    }),
  )
})

test('no IPv6 address of a special range is allowed', () => {
  const prefix = fc.constantFrom(...specialOfIpv6, ...moreOfIpv6)
  fc.assert(
    fc.property(prefix, fc.uint8Array({ minLength: 16, maxLength: 16 }), (first, rest) => {
      const address = inWords(`${first}${Buffer.from(rest).toString('hex')}`.slice(0, 32))
      expect([address, check(address).ok]).toEqual([address, false])
    }),
  )
})

test('every range that the library calls special is rejected, except embedded public IPv4 addresses', () => {
  const bytes = fc.oneof(fc.uint8Array({ minLength: 4, maxLength: 4 }), fc.uint8Array({ minLength: 16, maxLength: 16 }))
  fc.assert(
    fc.property(bytes, (given) => {
      const address = given.length === 4 ? [...given].join('.') : inWords(Buffer.from(given).toString('hex'))
      const range: string = ipaddr.parse(address).range()
      const standsForIpv4 = range === 'ipv4Mapped' || range === 'rfc6052'
      if (range !== 'unicast' && !standsForIpv4) expect([address, check(address).ok]).toEqual([address, false])
      if (range === 'unicast' && given.length === 4 && address !== '168.63.129.16') expect(check(address).ok).toBe(true)
    }),
  )
})

test('a forbidden IPv4 address is rejected in every IPv6 embedding', () => {
  fc.assert(
    fc.property(ipv4, (address) => {
      if (check(address).ok) return
      const word = inWords(hex(address))
      const turned = inWords(Buffer.from(bytesOf(address).map((byte) => byte ^ 0xff)).toString('hex'))
      const forms = [
        `::ffff:${word}`,
        `::${word}`,
        `::ffff:0:${word}`,
        `64:ff9b::${word}`,
        `64:ff9b:1::${word}`,
        `2002:${word}::1`,
        `2001:0:${word}::1`,
        `2001:0:808:808:0:0:${turned}`,
        `2606:4700::5efe:${word}`,
      ]
      for (const form of forms) expect([form, check(form).ok]).toEqual([form, false])
    }),
  )
})

test('a public IPv4 address is allowed, also mapped and translated, in canonical spelling', () => {
  expect(check('8.8.8.8')).toEqual({ ok: true, address: '8.8.8.8' })
  expect(check('::ffff:8.8.8.8')).toEqual({ ok: true, address: '8.8.8.8' })
  expect(check('64:ff9b::808:808')).toEqual({ ok: true, address: '64:ff9b::808:808' })
  expect(check('2606:4700:0:0::6810:84E5')).toEqual({ ok: true, address: '2606:4700::6810:84e5' })
})

test.for([
  '',
  'localhost',
  '127.1',
  '0x7f.0.0.1',
  '8.8.8',
  '8.8.8.8 ',
  '08.8.8.8',
  '8.8.8.8.',
  'fe80::1%eth0',
  '2606:4700::1%eth0',
  '[::1]',
  '::g',
  ':::',
  '1:2',
  '8.8.8.8/32',
  '\u0000',
])('a value that is not an address is rejected: %s', (text) => {
  expect(check(text)).toEqual({ ok: false, what: 'not an address' })
})

test('an operator can allow a range of an internal network and nothing beside it', () => {
  const allowing = createAddressCheck(['127.0.0.0/8', 'fd12:3456::/32', 'fe80::/10'])
  expect(allowing('127.0.0.1')).toEqual({ ok: true, address: '127.0.0.1' })
  expect(allowing('::ffff:127.0.0.1')).toEqual({ ok: true, address: '127.0.0.1' })
  expect(allowing('fd12:3456::1').ok).toBe(true)
  expect(allowing('::1').ok).toBe(false)
  expect(allowing('10.0.0.1').ok).toBe(false)
  expect(allowing('fd12:3457::1').ok).toBe(false)
})

test('no setting allows metadata, multicast, broadcast or the unspecified address', () => {
  const allowing = createAddressCheck(['0.0.0.0/0', '::/0'])
  expect(allowing('10.0.0.1').ok).toBe(true)
  expect(allowing('fd00::1').ok).toBe(true)
  const shut = [
    '169.254.169.254',
    '169.254.170.2',
    '100.100.100.200',
    '168.63.129.16',
    'fd00:ec2::254',
    '224.0.0.1',
    '255.255.255.255',
    '0.0.0.0',
    '::',
    'ff02::1',
    '64:ff9b::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ]
  for (const address of shut) expect([address, allowing(address).ok]).toEqual([address, false])
})

test.for([
  ['10.0.0.0', 'not a range'],
  ['10.0.0.0/33', 'not a range'],
  ['fd00::/129', 'not a range'],
  ['10.0/8', 'not a range'],
  ['corp.internal/8', 'not a range'],
  ['10.1.2.3/8', 'did you mean 10.0.0.0/8?'],
  ['fd00::1/8', 'did you mean fd00::/8?'],
] as const)('an invalid range in the settings stops the start: %s', ([range, says]) => {
  expect(() => createAddressCheck([range])).toThrow(says)
  expect(() => parseRange(range)).toThrow(range)
})
