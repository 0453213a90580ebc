import http2 from 'node:http2'
import * as restate from '@restatedev/restate-sdk'
import type { Log } from '../log/log.ts'

/** What a handler may do durably. Inside a step nothing of this is touched. */
export type Durable = {
  /** Runs `work` and keeps its short answer in the journal; after a crash it is run again if no answer was kept. */
  step<Word extends string>(name: string, work: () => Promise<Word>): Promise<Word>
  /** Aborts when this attempt is over: cancelled, or handed to another worker. */
  readonly signal: AbortSignal
  /** Of an object handler only: a value that the engine keeps under the object's key. */
  keep(name: string, value: string): void
}

export type DurableHandler<Message> = (durable: Durable, message: Message) => Promise<string>

export type DurableService = {
  name: string
  /** `object` keeps one invocation per key at a time and has state; `service` has neither. */
  kind: 'service' | 'object'
  // biome-ignore lint/suspicious/noExplicitAny: each handler names its own message type; the engine gives back what was sent
  handlers: Record<string, DurableHandler<any>>
}

export type WorkerEndpoint = { close(): Promise<void> }

// Longer than the longest step: a handler past it would hear of a cancel only when its step ends.
const inactivityTimeoutMs = 48 * 3_600_000
const idempotencyRetentionMs = 10 * 60_000

/** Serves the handlers to the engine. Workers of one release share one address, so the port is shared too. */
export const serveWorker = async (options: {
  services: readonly DurableService[]
  host: string
  port: number
  /** The engine's public key; requests that it has not signed are refused. */
  identityKey: string | undefined
  log: Log
}): Promise<WorkerEndpoint> => {
  const endpoint = restate.endpoint().setLogger((meta, message, ...rest) => {
    if (meta.level === 'warn' || meta.level === 'error') {
      options.log.debug('engine sdk', { level: meta.level, message: String(message), rest: rest.map(String) })
    }
  })
  for (const service of options.services) endpoint.bind(toRestate(service))
  if (options.identityKey !== undefined) endpoint.withIdentityV1(options.identityKey)

  const server = http2.createServer(endpoint.http2Handler())
  const sessions = new Set<http2.ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    session.on('close', () => sessions.delete(session))
    session.on('error', () => undefined)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: options.host, port: options.port, reusePort: true }, resolve)
  })
  return {
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const session of sessions) session.close()
      await closed
    },
  }
}

const toRestate = ({ name, kind, handlers }: DurableService) => {
  const wrapped = Object.fromEntries(
    Object.entries(handlers).map(([handler, work]) => [
      handler,
      (ctx: restate.Context | restate.ObjectContext, message: unknown) => work(toDurable(ctx), message),
    ]),
  )
  const shared = {
    inactivityTimeout: inactivityTimeoutMs,
    journalRetention: 0,
    ingressPrivate: false,
  }
  return kind === 'object'
    ? restate.object({ name, handlers: wrapped as never, options: shared })
    : restate.service({
        name,
        handlers: wrapped as never,
        options: { ...shared, idempotencyRetention: idempotencyRetentionMs },
      })
}

const toDurable = (ctx: restate.Context | restate.ObjectContext): Durable => ({
  step: (name, work) => ctx.run(name, work),
  signal: ctx.request().attemptCompletedSignal,
  keep: (name, value) => {
    if ('set' in ctx) ctx.set(name, value)
  },
})
