import { createHash } from 'node:crypto'
import { ErrorReply } from 'redis'
import type { Log } from '../log/log.ts'
import { connectRedis, type Outage, whenConnected } from './connection.ts'

/** A Redis script with its SHA1. */
export type Script = { readonly text: string; readonly sha: string }

export const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') })

/** Runs scripts on a separate connection. Every call ends within its timeout, with a result or an error. */
export type Scripts = {
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
  /** Whether Redis responds in time. */
  ping(): Promise<boolean>
  close(): void
}

const answerTimeoutDefaultMs = 50
/** After this many consecutive calls without a response the connection is replaced. TCP would retry for minutes. */
const maxSilent = 8

export const openScripts = async ({
  url,
  log,
  answerTimeoutMs = answerTimeoutDefaultMs,
}: {
  url: string
  log: Log
  answerTimeoutMs?: number
}): Promise<Scripts> => {
  const outage: Outage = { isLogged: false }
  const connect = () => connectRedis({ url, name: 'scripts', log, outage })
  let client = connect()
  let silent = 0
  await whenConnected([client])

  const send = async (words: readonly string[]): Promise<unknown> => {
    const asked = client
    try {
      const answer = await inTime(asked.sendCommand([...words]), answerTimeoutMs)
      silent = 0
      return answer
    } catch (error) {
      // An error of Redis is a response as well.
      silent = error instanceof ErrorReply ? 0 : silent + 1
      if (silent >= maxSilent && asked === client) {
        silent = 0
        asked.destroy()
        client = connect()
      }
      throw error
    }
  }

  return {
    run: async ({ text, sha }, keys, values) => {
      const rest = [String(keys.length), ...keys, ...values]
      try {
        return await send(['EVALSHA', sha, ...rest])
      } catch (error) {
        // Redis was restarted or flushed; running the script loads it again.
        if (error instanceof ErrorReply && error.message.startsWith('NOSCRIPT')) return send(['EVAL', text, ...rest])
        throw error
      }
    },
    ping: () =>
      send(['PING']).then(
        () => true,
        () => false,
      ),
    close: () => client.destroy(),
  }
}

/** The call timed out. `late` resolves with a later response of Redis. */
export class NoAnswer extends Error {
  readonly late: Promise<unknown>

  constructor(timeoutMs: number, late: Promise<unknown>) {
    super(`No answer within ${timeoutMs} ms`)
    this.late = late
  }
}

const inTime = (answer: Promise<unknown>, timeoutMs: number): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new NoAnswer(timeoutMs, answer))
    // If the process was blocked, the response may be unread; it is read before the timeout is reported.
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
