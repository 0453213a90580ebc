import { startMailServer } from '@ars/testkit/mail-server'
import { expect, test } from 'vitest'
import { platformBounds } from '../bounds.ts'
import { systemClock } from '../clock.ts'
import { headerText, isMailAddress, mailboxIn } from './mailbox.ts'
import { openSmtp } from './smtp.ts'

/** Each tries to name a second recipient, to add a header or a command, or to be another address for somebody on the way. */
const badAddresses = [
  '',
  '@',
  'ada',
  'ada@',
  '@example.com',
  'ada@example.com\r\nBcc: eve@example.com',
  'ada@example.com\nBcc: eve@example.com',
  'ada@example.com\rBcc: eve@example.com',
  'ada\r\n@example.com',
  'ada@exam\r\nple.com',
  'ada@example.com\r\nRCPT TO:<eve@example.com>',
  'ada@example.com>\r\nRCPT TO:<eve@example.com',
  'ada@example.com\u0000',
  'ada\u0000@example.com',
  'ada@example.com\u0000eve@example.com',
  'ada@example.com\u2028Bcc: eve@example.com',
  'ada@example.com\u2029eve@example.com',
  'ada@example.com\u0085eve@example.com',
  'ada\u000b@example.com',
  'ada\u007f@example.com',
  'ada\u200b@example.com',
  'ada\u202e@example.com',
  'ada@example.com\ufeff',
  'ada\ud800@example.com',
  'ada@example.com,eve@example.com',
  'ada@example.com;eve@example.com',
  'ada@example.com, eve@example.com',
  'ada@example.com eve@example.com',
  '<ada@example.com>',
  'Ada <ada@example.com>',
  'ada@example.com>,<eve@example.com',
  'ada@example.com> SIZE=1',
  '<eve@example.com>ada@example.com',
  'team:ada@example.com;',
  '@relay.example.com:ada@example.com',
  '"ada"@example.com',
  '"ada@evil.example"@example.com',
  '"ada\r\nBcc: eve"@example.com',
  'ada(comment)@example.com',
  'ada@example.com(comment)',
  'ada@[127.0.0.1]',
  'ada@[IPv6:::1]',
  'ada@example.com@evil.example',
  'ada@evil.example\\@example.com',
  'a\\da@example.com',
  '=?utf-8?q?eve=40evil.example?=@example.com',
  '=?utf-8?b?ZXZl?=@example.com',
  'ada@=?utf-8?q?evil.example?=',
  'ada.@example.com',
  '.ada@example.com',
  'a..da@example.com',
  'ada@example..com',
  'ada@-example.com',
  'ada@example.com.',
  'ada@example.com/x',
  'ada@example.com:25',
  ' ada@example.com',
  'ada@example.com ',
  `${'a'.repeat(65)}@example.com`,
  `ada@${'a'.repeat(256)}`,
  `${'ä'.repeat(40)}@example.com`,
  `${'a'.repeat(100_000)}@example.com`,
]

const goodAddresses = [
  'ada@example.com',
  'a.d+a@mail.example.co.uk',
  "o'hara_1@x-y.example",
  'jürgen@müller.example',
  'a@b',
]

/** Names that customers choose: of an organisation, an alert rule, an API key. */
const badNames = [
  'Acme\r\nBcc: eve@example.com',
  'Acme\nBcc: eve@example.com',
  'Acme\rBcc: eve@example.com',
  'Acme\r\n\r\n<script>alert(1)</script>',
  'Acme\r\n.\r\nMAIL FROM:<eve@example.com>',
  'Acme\u0000Bcc: eve@example.com',
  'Acme\u2028Bcc: eve@example.com',
  'Acme\u2029Bcc: eve@example.com',
  'Acme\u0085Bcc: eve@example.com',
  'Acme\u000bBcc: eve@example.com',
  'Acme\u000cBcc: eve@example.com',
  'Acme\u001b[2J',
  'Acme\u202eevil',
  'Acme\u2066evil\u2069',
  'Acme\u200b\u200d\ufeff',
  '=?utf-8?q?Acme=0D=0ABcc:_eve=40example.com?=',
  '=?utf-8?b?QWNtZQ0KQmNjOiBldmVAZXhhbXBsZS5jb20=?=',
  '=?iso-8859-1?q?=0ASubject:_evil?= =?utf-8?q?x?=',
  '"Acme" <eve@example.com>',
  'Acme, eve@example.com',
  'Acme\ud800',
  '\u{1F4A9}'.repeat(5_000),
  'A'.repeat(100_000),
  `${'A '.repeat(600)}\r\nBcc: eve@example.com`,
  '\r\n\r\n\r\n',
  '%0d%0aBcc:eve@example.com',
]

test('the corpus has over 40 names and addresses', () => {
  expect(badAddresses.length + badNames.length).toBeGreaterThan(80)
})

test('no bad address is written to, and good ones are', async () => {
  const server = await startMailServer()
  const smtp = smtpTo(server.port)
  for (const to of badAddresses) {
    expect(isMailAddress(to), JSON.stringify(to)).toBe(false)
    await expect(smtp.send({ ...message, to })).rejects.toMatchObject({ isFinal: true, reason: 'address' })
  }
  expect(server.connections()).toBe(0)
  for (const to of goodAddresses) {
    expect(isMailAddress(to), to).toBe(true)
    await smtp.send({ ...message, to })
    expect(server.mails().at(-1)?.to).toHaveLength(1)
  }
  await server.close()
})

test('a name in a subject adds no header, no recipient and no line', async () => {
  const server = await startMailServer()
  const smtp = smtpTo(server.port)
  await smtp.send(message)
  const usual = Object.keys(server.mails()[0]?.headers ?? {}).sort()
  for (const name of badNames) {
    await smtp.send({ ...message, subject: `Join ${name}`, text: name, html: 'x' })
    const mail = server.mails().at(-1)
    expect(mail?.to).toEqual(['ada@example.com'])
    expect(Object.keys(mail?.headers ?? {}).sort(), JSON.stringify(name)).toEqual(usual)
    expect(Object.values(mail?.headers ?? {}).every((values) => values.length === 1)).toBe(true)
    expect(mail?.subject).toBe(headerText(`Join ${name}`))
    expect(mail?.subject).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
    expect([...(mail?.subject ?? '')].length).toBeLessThanOrEqual(200)
  }
  expect(server.mails()).toHaveLength(badNames.length + 1)
  await server.close()
})

test('the address of the sender is a mailbox or is refused', () => {
  expect(mailboxIn('Acme Runs <ars@example.com>')).toEqual({ name: 'Acme Runs', address: 'ars@example.com' })
  expect(mailboxIn(' ars@example.com ')).toEqual({ name: '', address: 'ars@example.com' })
  for (const address of badAddresses.map((text) => text.trim()).filter((text) => mailboxIn(text) !== null))
    expect(['Ada <ada@example.com>', '<ada@example.com>', 'ada@example.com']).toContain(address)
  for (const name of badNames) {
    const taken = mailboxIn(`${name} <ars@example.com>`)?.name ?? ''
    expect(headerText(taken)).toBe(taken)
  }
})

const message = { id: 'x', to: 'ada@example.com', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }

const smtpTo = (port: number) =>
  openSmtp({
    server: { host: '127.0.0.1', port, isTlsFromStart: false, login: undefined },
    from: { name: 'Agent Run Service', address: 'ars@example.org' },
    tls: 'off',
    clock: systemClock,
  })

test('the parts of an address have the bounds of their rows', () => {
  const { mailLocalPart, mailDomain, mailName } = platformBounds
  const domain = (bytes: number): string => 'example.com'.padStart(bytes, 'a')
  expect(isMailAddress(`${'a'.repeat(mailLocalPart.bytes)}@example.com`)).toBe(true)
  expect(isMailAddress(`${'a'.repeat(mailLocalPart.bytes + 1)}@example.com`)).toBe(false)
  expect(isMailAddress(`ada@${domain(mailDomain.bytes)}`)).toBe(true)
  expect(isMailAddress(`ada@${domain(mailDomain.bytes + 1)}`)).toBe(false)
  expect(mailboxIn(`${'a'.repeat(mailName.chars)}<ars@example.com>`)).not.toBeNull()
  expect(mailboxIn(`${'a'.repeat(mailName.chars + 1)}<ars@example.com>`)).toBeNull()
})
