import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { type MailServer, startMailServer } from '@ars/testkit/mail-server'
import { afterEach, expect, test } from 'vitest'
import { platformBounds } from '../bounds.ts'
import { systemClock } from '../clock.ts'
import { createSelfSigned } from '../self-signed.ts'
import { openSmtp, type SmtpError, type SmtpOptions } from './smtp.ts'

const certificate = createSelfSigned({ names: ['localhost'], nowMs: Date.now(), days: 2 })
const login = { user: 'ars', password: 'correct horse' }
const message = {
  id: '01980000-0000-7000-8000-000000000001',
  to: 'ada@example.com',
  subject: 'Grüße aus Zürich',
  text: 'Wörter\n.\nund ein Punkt\n',
  html: '<p>Wörter</p>',
}

const servers: MailServer[] = []
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()))
})

const serverOf = async (options: Parameters<typeof startMailServer>[0]): Promise<MailServer> => {
  const server = await startMailServer(options)
  servers.push(server)
  return server
}

const smtpTo = (port: number, changes: Partial<SmtpOptions> & { isTlsFromStart?: boolean; host?: string } = {}) =>
  openSmtp({
    server: {
      host: changes.host ?? 'localhost',
      port,
      isTlsFromStart: changes.isTlsFromStart ?? false,
      login: changes.server?.login,
    },
    from: { name: 'Agent Run Service', address: 'ars@example.org' },
    tls: 'required',
    clock: systemClock,
    timeoutMs: 10_000,
    ...changes,
    ...(changes.server && { server: changes.server }),
  })

const faultOf = async (work: Promise<void>): Promise<SmtpError> =>
  work.then(
    () => {
      throw new Error('nothing failed')
    },
    (error: SmtpError) => error,
  )

test('a message arrives in text and HTML over STARTTLS, after a login', async () => {
  const server = await serverOf({ mode: 'starttls', certificate, login })
  const smtp = smtpTo(server.port, {
    server: { host: 'localhost', port: server.port, isTlsFromStart: false, login },
    extraCertificates: [certificate.certificate],
  })
  await smtp.check()
  await smtp.send(message)
  const [mail] = server.mails()
  expect(mail).toMatchObject({
    isSecure: true,
    from: 'ars@example.org',
    to: ['ada@example.com'],
    subject: message.subject,
    headers: {
      'message-id': [`<${message.id}@example.org>`],
      from: ['Agent Run Service <ars@example.org>'],
      to: ['ada@example.com'],
      'auto-submitted': ['auto-generated'],
    },
  })
  expect(mail?.text.replaceAll('\r\n', '\n')).toContain('Wörter\n.\nund ein Punkt')
  expect(mail?.html).toContain('<p>Wörter</p>')
})

test('a message arrives over TLS from the first byte, also at an address without a name', async () => {
  const server = await serverOf({ mode: 'tls', certificate })
  const changes = { isTlsFromStart: true, extraCertificates: [certificate.certificate] }
  await smtpTo(server.port, changes).send(message)
  await smtpTo(server.port, { ...changes, host: '127.0.0.1' }).send(message)
  expect(server.mails().map(({ isSecure }) => isSecure)).toEqual([true, true])
})

test('a server without TLS gets nothing, unless the operator turned TLS off', async () => {
  const server = await serverOf({ mode: 'plain' })
  expect(await faultOf(smtpTo(server.port).send(message))).toMatchObject({ isFinal: false })
  expect(server.mails()).toEqual([])
  await smtpTo(server.port, { tls: 'off' }).send(message)
  expect(server.mails()).toHaveLength(1)
})

test('a certificate that nobody vouches for, or of another host, is refused before the login', async () => {
  const other = createSelfSigned({ names: ['mail.example.com'], nowMs: Date.now(), days: 2 })
  for (const mode of ['starttls', 'tls'] as const) {
    const isTlsFromStart = mode === 'tls'
    const unknown = await serverOf({ mode, certificate })
    expect(await faultOf(smtpTo(unknown.port, { isTlsFromStart }).send(message))).toMatchObject({ isFinal: false })
    const wrong = await serverOf({ mode, certificate: other })
    const trusting = smtpTo(wrong.port, { isTlsFromStart, extraCertificates: [other.certificate] })
    expect(await faultOf(trusting.send(message))).toMatchObject({ isFinal: false })
    expect([unknown.mails(), wrong.mails()]).toEqual([[], []])
  }
})

test('a wrong password is reported, and the message can be repeated', async () => {
  const server = await serverOf({ mode: 'starttls', certificate, login })
  const smtp = smtpTo(server.port, {
    server: { host: 'localhost', port: server.port, isTlsFromStart: false, login: { ...login, password: 'wrong' } },
    extraCertificates: [certificate.certificate],
  })
  // One after the other: a failure that comes before somebody waits for it fails the whole run of tests.
  for (const work of [() => smtp.check(), () => smtp.send(message)])
    expect(await faultOf(work())).toMatchObject({ isFinal: false, reason: 'EAUTH 535' })
})

test('a server that refuses a recipient for ever ends the message, and one that is busy does not', async () => {
  const server = await serverOf({ mode: 'plain' })
  const smtp = smtpTo(server.port, { tls: 'off' })
  server.answer('550 no such person')
  expect(await faultOf(smtp.send(message))).toMatchObject({ isFinal: true, reason: 'EENVELOPE 550' })
  server.answer('451 later')
  expect(await faultOf(smtp.send(message))).toMatchObject({ isFinal: false, reason: 'EENVELOPE 451' })
})

test('a server that says nothing, or never ends its reply, costs no more than the time limit (platformBounds.smtpSend)', async () => {
  const server = await serverOf({ mode: 'plain' })
  for (const way of ['hang', 'drip'] as const) {
    server.answer(way)
    let fault: SmtpError | undefined
    void faultOf(smtpTo(server.port, { tls: 'off', timeoutMs: 200 }).send(message)).then((error) => {
      fault = error
    })
    await expect.poll(() => fault, { timeout: 5_000 }).toMatchObject({ isFinal: false })
  }
})

test('nobody listens: the fault says so', async () => {
  const server = await startMailServer()
  await server.close()
  expect(await faultOf(smtpTo(server.port, { tls: 'off' }).check())).toMatchObject({
    isFinal: false,
    reason: 'ESOCKET',
  })
})

test('a greeting of more bytes than platformBounds.smtpResponse closes the connection', async () => {
  const { bytes } = platformBounds.smtpResponse
  const check = async (lines: number) => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined)
      socket.write(`220-${'x'.repeat(994)}\r\n`.repeat(lines))
      socket.write('220 ready\r\n')
      socket.on('data', (sent) => socket.write(/^quit/i.test(String(sent)) ? '221 bye\r\n' : '250 ok\r\n'))
    }).listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const fault = await smtpTo(port, { tls: 'off', host: '127.0.0.1' })
      .check()
      .then(
        () => null,
        (error: SmtpError) => error,
      )
    server.close()
    return fault
  }
  expect(await check(Math.floor(bytes / 1_000) - 2)).toBeNull()
  expect(await check(Math.ceil(bytes / 1_000) + 30)).toMatchObject({ isFinal: false })
})
