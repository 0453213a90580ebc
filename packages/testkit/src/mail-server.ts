import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createSecureContext, TLSSocket } from 'node:tls'
import { type ReceivedMail, receivedMailOf } from './received-mail.ts'

/** A mail server on loopback: SMTP over real sockets, with STARTTLS, TLS and AUTH. It keeps what it accepts. */
export type MailServer = {
  readonly port: number
  /** The accepted messages, in the order of their arrival. */
  mails(): readonly ReceivedMail[]
  /** How many connections were opened. */
  connections(): number
  /** How the next messages are answered: undefined takes them. */
  answer(way: Way | undefined): void
  close(): Promise<void>
}

/** `hang`: greets nobody. `drip`: begins a reply and never ends it. Others are the reply to the recipient. */
type Way = 'hang' | 'drip' | `${number} ${string}`

type Options = {
  /** `starttls` offers it, `tls` begins with it, `plain` has none. */
  mode?: 'starttls' | 'tls' | 'plain'
  certificate?: { certificate: string; key: string }
  login?: { user: string; password: string }
  /** Called before a message is acknowledged. A test ends the sender here. */
  onAccepted?: () => void
}

export const startMailServer = async (options: Options = {}): Promise<MailServer> => {
  const { mode = 'plain', certificate, login, onAccepted } = options
  const context = certificate && createSecureContext({ cert: certificate.certificate, key: certificate.key })
  const mails: ReceivedMail[] = []
  const open = new Set<Socket>()
  let connections = 0
  let way: Way | undefined

  const secured = (socket: Socket): TLSSocket =>
    new TLSSocket(socket, { isServer: true, ...(context && { secureContext: context }) })

  const converse = (socket: Socket, isSecure: boolean, isGreeted = false): void => {
    let rest = ''
    let isLoggedIn = login === undefined
    let from = ''
    let to: string[] = []
    let body: string[] | undefined
    const say = (line: string) => socket.writable && socket.write(`${line}\r\n`)
    const upgrade = () => {
      say('220 go on')
      socket.removeAllListeners('data')
      converse(secured(socket), true, true)
    }
    const logIn = (encoded: string) => {
      const [, user, password] = Buffer.from(encoded, 'base64').toString().split('\0')
      isLoggedIn = user === login?.user && password === login?.password
      say(isLoggedIn ? '235 welcome' : '535 wrong')
    }
    const verbs: Record<string, (argument: string) => unknown> = {
      EHLO: () => {
        const offers = [...(mode === 'starttls' && !isSecure ? ['STARTTLS'] : []), ...(login ? ['AUTH PLAIN'] : [])]
        for (const offer of ['localhost', 'SMTPUTF8', '8BITMIME', ...offers].slice(0, -1)) say(`250-${offer}`)
        say(`250 ${offers.at(-1) ?? '8BITMIME'}`)
      },
      STARTTLS: upgrade,
      AUTH: (argument) => logIn(argument.replace(/^PLAIN */i, '')),
      MAIL: (argument) => {
        from = /<([^>]*)>/.exec(argument)?.[1] ?? ''
        to = []
        say(isLoggedIn ? '250 ok' : '530 log in first')
      },
      RCPT: (argument) => {
        if (way === 'drip') return socket.write('250-')
        if (way !== undefined) return say(way)
        to.push(/^TO:<(.*)>[^>]*$/i.exec(argument)?.[1] ?? argument)
        return say('250 ok')
      },
      DATA: () => {
        body = []
        say('354 go on')
      },
      QUIT: () => {
        say('221 bye')
        socket.end()
      },
      RSET: () => say('250 ok'),
    }
    const onLine = (line: string): void => {
      if (body === undefined) {
        const [verb = '', ...argument] = line.split(' ')
        const act = verbs[verb.toUpperCase()]
        if (act) act(argument.join(' '))
        else say('500 what?')
      } else if (line === '.') {
        mails.push(receivedMailOf({ from, to, isSecure, raw: body.join('\r\n') }))
        body = undefined
        onAccepted?.()
        say('250 kept')
      } else {
        body.push(line.startsWith('.') ? line.slice(1) : line)
      }
    }
    socket.on('error', () => undefined)
    socket.on('data', (chunk) => {
      rest += chunk.toString('latin1')
      // Only CR LF ends a line: a bare LF that gets through is content, and a test would see it.
      for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
        const line = rest.slice(0, end)
        rest = rest.slice(end + 2)
        onLine(line)
      }
    })
    if (!isGreeted && way !== 'hang') say('220 localhost ESMTP')
  }

  const server = createServer((socket) => {
    connections += 1
    open.add(socket)
    socket.once('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    if (mode === 'tls') converse(secured(socket), true)
    else converse(socket, false)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    mails: () => mails,
    connections: () => connections,
    answer: (next) => {
      way = next
    },
    close: async () => {
      for (const socket of open) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}
