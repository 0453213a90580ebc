import { createHash } from 'node:crypto'
import { ErrorReply } from 'redis'
import type { Log } from '../log/log.ts'
import { connectRedis, type Outage, whenConnected } from './connection.ts'

/** A script for Redis, with the name by which Redis remembers it. */
export type Script = { readonly text: string; readonly sha: string }

export const script = (text: string): Script => ({ text, sha: createHash('sha1').update(text).digest('hex') })

/** Scripts on a connection of their own. Every call ends in time, with an answer or with an error. */
export type Scripts = {
  run(script: Script, keys: readonly string[], values: readonly string[]): Promise<unknown>
  /** Whether Redis answers in time. */
  ping(): Promise<boolean>
  close(): void
}

const answerTimeoutDefaultMs = 50
/** After so many calls in a row without any answer the connection is given up for a new one. TCP would try for minutes. */
const silentMost = 8

export const openScripts = async ({
  url,
  log,
  answerTimeoutMs = answerTimeoutDefaultMs,
}: {
  url: string
  log: Log
  answerTimeoutMs?: number
}): Promise<Scripts> => {
  const outage: Outage = { isTold: false }
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
      // Redis's own word that something is wrong is an answer as well.
      silent = error instanceof ErrorReply ? 0 : silent + 1
      if (silent >= silentMost && asked === client) {
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
        // It was restarted or emptied, and learns the script again by running it.
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

/** The time was up. What Redis says later is still said, for whoever wants to know what became of it. */
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
    // When this process itself was busy so long, the answer may lie unread: it is read before the verdict falls.
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
