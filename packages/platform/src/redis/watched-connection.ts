import { ErrorReply } from 'redis'
import { platformBounds } from '../bounds.ts'
import type { Log } from '../log/log.ts'
import { connectRedis, type Outage, type RedisConnection } from './connection.ts'

/**
 * A connection whose every question ends within a timeout. A Redis that hangs keeps its connections open, so silence
 * counts as an outage, and after several unanswered questions the connection is replaced: TCP would retry for minutes.
 * An idle connection is pinged, otherwise a Redis that hangs would look healthy until the next question.
 */
export type WatchedConnection = {
  client(): RedisConnection
  ask<Reply>(send: (client: RedisConnection) => Promise<Reply>, timeoutMs: number): Promise<Reply>
  /** Connected for a while, and no question was unanswered recently. */
  isUp(): boolean
  /** Why no connection could be made; undefined: one could. */
  cause(): unknown
  close(): void
}

const maxSilent = platformBounds.redisSilence.count
const pingEveryMs = 500
const maxPingMs = platformBounds.redisPing.ms
/** A new connection that is not answered is replaced too. Pings keep a connection in use above this. */
const idleTimeoutMs = platformBounds.redisSilence.ms
/** Messages may have been lost while Redis was away, so subscribers poll often for a while after it. */
const distrustMs = 2_000

export const openWatched = (options: {
  url: string
  name: string
  log: Log
  sendTimeoutMs?: number
  /** Called for each connection that is ready. */
  onReady?: (client: RedisConnection) => void
}): WatchedConnection => {
  const outage: Outage = { isLogged: false }
  let silent = 0
  let trustedFromMs = Number.NEGATIVE_INFINITY
  let wasReady = false
  const distrust = (): void => {
    trustedFromMs = performance.now() + distrustMs
  }
  const connect = (): RedisConnection => {
    const made = connectRedis({ ...options, idleTimeoutMs, outage })
    made.on('ready', () => {
      if (wasReady) distrust()
      wasReady = true
      options.onReady?.(made)
    })
    return made
  }
  let client = connect()

  const noteSilence = (asked: RedisConnection, error: NoAnswer): void => {
    silent++
    distrust()
    if (!outage.isLogged) options.log.warn('redis is unavailable', { connection: options.name, error })
    outage.isLogged = true
    if (silent < maxSilent || asked !== client) return
    silent = 0
    asked.destroy()
    client = connect()
  }

  const noteAnswer = (): void => {
    silent = 0
    if (outage.isLogged && client.isReady) {
      options.log.info('redis is available again', { connection: options.name })
      outage.isLogged = false
    }
  }

  const ask: WatchedConnection['ask'] = async (send, timeoutMs) => {
    const asked = client
    try {
      const answer = await inTime(send(asked), timeoutMs)
      noteAnswer()
      return answer
    } catch (error) {
      // An error of Redis is a response as well.
      if (error instanceof ErrorReply) noteAnswer()
      if (error instanceof NoAnswer) noteSilence(asked, error)
      throw error
    }
  }

  const pings = setInterval(() => {
    if (client.isReady) ask((asked) => asked.ping(), maxPingMs).catch(() => undefined)
  }, pingEveryMs)

  return {
    client: () => client,
    ask,
    isUp: () => client.isReady && performance.now() >= trustedFromMs,
    cause: () => outage.cause,
    close: () => {
      clearInterval(pings)
      client.destroy()
    },
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

const inTime = <Reply>(answer: Promise<Reply>, timeoutMs: number): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new NoAnswer(timeoutMs, answer))
    // If the process was blocked, the response may be unread; it is read before the timeout is reported.
    const timer = setTimeout(() => setImmediate(giveUp), timeoutMs)
    answer.then(resolve, reject).finally(() => clearTimeout(timer))
  })
