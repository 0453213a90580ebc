import { expect, test } from 'vitest'
import { createLog } from '../log/log.ts'
import { serveWorker } from './worker.ts'

test('a worker does not start if an invocation may take longer than the engine waits for it', async () => {
  const serving = serveWorker({
    services: [],
    host: '127.0.0.1',
    port: 0,
    identityKeys: [],
    maxInvocationMs: 72 * 3_600_000,
    log: createLog({ level: 'silent' }),
  })
  await expect(serving).rejects.toThrow(
    'A run may take 72 hours, but the engine would end it after 48 hours (inactivity timeout)',
  )
})
