import http2 from 'node:http2'
import * as restate from '@restatedev/restate-sdk'
import { bareService } from './bare-service.ts'

// The control: what `test-echo` does, as a handler of the engine and nothing else. Its settings are those of our own
// worker (packages/platform/src/durable), so that the engine has the same work with both. No `ctx.run`: our worker does
// not journal the first step of a run either.
const { BARE_PORT: port, BARE_IDENTITY_KEY: identityKey } = process.env
if (!port || !identityKey) throw new Error('BARE_PORT and BARE_IDENTITY_KEY must be set')

type Message = {
  input: { query?: unknown }
}

const endpoint = restate
  .endpoint()
  .bind(
    restate.service({
      name: bareService.name,
      handlers: {
        [bareService.handler]: async (_: restate.Context, { input }: Message) => ({
          result: typeof input.query === 'string' ? input.query : JSON.stringify(input),
        }),
      },
      options: { inactivityTimeout: 48 * 3_600_000, journalRetention: 0, idempotencyRetention: 10 * 60_000 },
    }),
  )
  .withIdentityV1(identityKey)

http2.createServer(endpoint.http2Handler()).listen({ host: '127.0.0.1', port: Number(port) })
process.once('SIGTERM', () => process.exit(0))
