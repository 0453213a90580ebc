import { createHash } from 'node:crypto'
import { ErrorReply } from 'redis'
import type { Log } from '../log/log.ts'
import { whenConnected } from './connection.ts'
import { openWatched } from './watched-connection.ts'

export { NoAnswer } from './watched-connection.ts'

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

export const openScripts = async ({
  url,
  log,
  answerTimeoutMs = answerTimeoutDefaultMs,
}: {
  url: string
  log: Log
  answerTimeoutMs?: number
}): Promise<Scripts> => {
  const link = openWatched({ url, name: 'scripts', log })
  await whenConnected([link.client()])
  const send = (words: readonly string[]): Promise<unknown> =>
    link.ask((client) => client.sendCommand([...words]), answerTimeoutMs)

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
    close: () => link.close(),
  }
}
