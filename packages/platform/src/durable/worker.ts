import http2 from 'node:http2'
import * as restate from '@restatedev/restate-sdk'
import type { Log } from '../log/log.ts'

/** The durable operations of a handler. Not available inside a step. */
export type Durable = {
  /** Runs `work` and stores its short result in the journal. After a crash it runs again unless a result was stored. */
  step<Word extends string>(name: string, work: () => Promise<Word>): Promise<Word>
  /** Aborts when this attempt ends: cancelled, or moved to another worker. */
  readonly signal: AbortSignal
  /** For object handlers only: a value that the engine stores under the object's key. */
  keep(name: string, value: string): void
}

export type DurableHandler<Message> = (durable: Durable, message: Message) => Promise<string>

export type DurableService = {
  name: string
  /** `object` runs one invocation per key at a time and has state; `service` has neither. */
  kind: 'service' | 'object'
  // biome-ignore lint/suspicious/noExplicitAny: each handler names its own message type; the engine gives back what was sent
  handlers: Record<string, DurableHandler<any>>
}

export type WorkerEndpoint = { close(): Promise<void> }

// Longer than the longest step: a handler beyond this timeout would notice a cancellation only after its step.
const inactivityTimeoutMs = 48 * 3_600_000
const idempotencyRetentionMs = 10 * 60_000

/** Serves the handlers to the engine. Workers of one release share one address, so the port is shared too. */
export const serveWorker = async (options: {
  services: readonly DurableService[]
  host: string
  port: number
  /** The public keys of the engine. Requests that none of them has signed are rejected. None: all are accepted. */
  identityKeys: readonly string[]
  log: Log
}): Promise<WorkerEndpoint> => {
  const endpoint = restate.endpoint().setLogger((meta, message, ...rest) => {
    if (meta.level === 'warn' || meta.level === 'error') {
      options.log.debug('engine sdk', { level: meta.level, message: String(message), rest: rest.map(String) })
    }
  })
  for (const service of options.services) endpoint.bind(toRestate(service))
  if (options.identityKeys.length > 0) endpoint.withIdentityV1(...options.identityKeys)

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
