import { Socket } from 'node:net'
import { rootCertificates } from 'node:tls'
import { createTransport } from 'nodemailer'
import { platformBounds } from '../bounds.ts'
import type { Clock } from '../clock.ts'
import { headerText, isMailAddress, type Mailbox } from './mailbox.ts'

/**
 * The operator's mail server. Its address is configuration of the operator, like that of the database, and no customer can
 * name it. Therefore it is not called by the egress client, which would refuse a server in a private network.
 */
export type Smtp = {
  /** Throws `SmtpError`. A message that was sent twice has the same `Message-ID`. */
  send(message: Message): Promise<void>
  /** Connects, demands TLS, logs in and leaves. Throws `SmtpError`. */
  check(): Promise<void>
}

export type Message = {
  /** Unique, and the same for each attempt to send this message. */
  id: string
  to: string
  subject: string
  text: string
  html: string
}

export type SmtpServer = {
  host: string
  port: number
  /** TLS from the first byte, otherwise STARTTLS. */
  isTlsFromStart: boolean
  login: { user: string; password: string } | undefined
}

export type SmtpOptions = {
  server: SmtpServer
  from: Mailbox
  /** `off`: mail is sent without TLS if the server is called by `smtp://`. */
  tls: 'required' | 'off'
  /** Authorities besides those that everybody trusts, PEM. */
  extraCertificates?: readonly string[]
  clock: Clock
  /** The time for one message, from the DNS look-up to the reply of the server. */
  timeoutMs?: number
}

/** `isFinal`: the server refuses this recipient or this message, so a repetition is of no use. */
export class SmtpError extends Error {
  override readonly name = 'SmtpError'
  readonly isFinal: boolean
  /** For logs: no text of the server and no address. */
  readonly reason: string
  constructor(message: string, { isFinal, reason, cause }: { isFinal: boolean; reason: string; cause?: unknown }) {
    super(message, { cause })
    this.isFinal = isFinal
    this.reason = reason
  }
}

const defaultTimeoutMs = platformBounds.smtpSend.ms
const maxResponseBytes = platformBounds.smtpResponse.bytes

export const openSmtp = (options: SmtpOptions): Smtp => {
  const { server, from, clock, timeoutMs = defaultTimeoutMs } = options
  const ca = [...rootCertificates, ...(options.extraCertificates ?? [])]

  /** One connection per message: nothing is kept open between messages that are rare. */
  const withTransport = async (work: (transport: ReturnType<typeof createTransport>) => Promise<unknown>) => {
    // Our own socket, because only with it can a connection be ended whatever the server does.
    const socket = new Socket()
    const transport = createTransport({
      host: server.host,
      port: server.port,
      secure: server.isTlsFromStart,
      ...(options.tls === 'required' ? { requireTLS: true } : { ignoreTLS: true }),
      tls: { ca, minVersion: 'TLSv1.2', rejectUnauthorized: true },
      ...(server.login && { auth: { user: server.login.user, pass: server.login.password }, forceAuth: true }),
      socket,
      connectionTimeout: timeoutMs,
      greetingTimeout: timeoutMs,
      socketTimeout: timeoutMs,
      maxResponseSize: maxResponseBytes,
      disableFileAccess: true,
      disableUrlAccess: true,
    })
    let timer: NodeJS.Timeout | undefined
    const deadline = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(new SmtpError(`No reply within ${timeoutMs} ms`, { isFinal: false, reason: 'timeout' }))
      }, timeoutMs)
    })
    try {
      await Promise.race([work(transport), deadline])
    } catch (error) {
      throw error instanceof SmtpError ? error : smtpErrorOf(error)
    } finally {
      clearTimeout(timer)
      transport.close()
      socket.destroy()
    }
  }

  return {
    send: async ({ id, to, subject, text, html }) => {
      if (!isMailAddress(to))
        throw new SmtpError('The address cannot be written to', { isFinal: true, reason: 'address' })
      await withTransport((transport) =>
        transport.sendMail({
          // The envelope is explicit, so that no header decides who gets the message.
          envelope: { from: from.address, to: [to] },
          from,
          to: { name: '', address: to },
          subject: headerText(subject),
          text,
          html,
          date: clock.now(),
          messageId: `<${id}@${from.address.slice(from.address.indexOf('@') + 1)}>`,
          // No out-of-office reply is wanted (RFC 3834).
          headers: { 'Auto-Submitted': 'auto-generated' },
        }),
      )
    },
    check: () => withTransport((transport) => transport.verify()),
  }
}

/** The codes that concern one message. Others, like a failed login, concern the server, and it may be repaired. */
const codesOfMessages: readonly unknown[] = ['EENVELOPE', 'EMESSAGE']

const smtpErrorOf = (error: unknown): SmtpError => {
  const { code, responseCode, message } = error as { code?: unknown; responseCode?: unknown; message?: unknown }
  const status = typeof responseCode === 'number' ? responseCode : undefined
  return new SmtpError(typeof message === 'string' ? message : 'The mail server failed', {
    isFinal: codesOfMessages.includes(code) && (status === undefined || status >= 500),
    reason: [typeof code === 'string' ? code : 'ERROR', status].filter((part) => part !== undefined).join(' '),
    cause: error,
  })
}

/** `smtp://user:password@host:port` or `smtps://…`. Null: malformed. */
export const smtpServerIn = (text: string): SmtpServer | null => {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const isTlsFromStart = url.protocol === 'smtps:'
  // No option hides in the query: one of them could turn off the check of certificates.
  const isPlain = url.search === '' && url.hash === '' && (url.pathname === '' || url.pathname === '/')
  if ((!isTlsFromStart && url.protocol !== 'smtp:') || url.hostname === '' || !isPlain) return null
  const usualPort = isTlsFromStart ? 465 : 587
  const [user, password] = [decoded(url.username), decoded(url.password)]
  if (user === null || password === null) return null
  return {
    host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? usualPort : Number(url.port),
    isTlsFromStart,
    login: user === '' ? undefined : { user, password },
  }
}

const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}
