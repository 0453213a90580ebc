import { readFileSync } from 'node:fs'
import type { Ports } from '@ars/tools/dev/parts/ports'
import { startTemporaryStack, stopStacksOnSignals } from '../lab/stack/temporary-stack.ts'

/** The facts about a stack that the outside gets: all that an owner of the machine knows. */
export type InsideFacts = {
  httpsPort: number
  ca: string
  key: string
  ports: Ports
}

// A whole service, on the addresses that it listens on by default, until the input ends. Whatever listens in this
// namespace belongs to it.
const byDefault = { ARS_HTTP_HOST: undefined, ARS_METRICS_HOST: undefined, ARS_WORKER_HOST: undefined }

stopStacksOnSignals()
const { stack, seed, dispose } = await startTemporaryStack('shell-ports')
try {
  await stack.server({ role: 'all', env: byDefault }).start()
  const facts: InsideFacts = {
    httpsPort: stack.ports.gateway[0],
    ca: readFileSync(stack.tls.certFile, 'utf8'),
    key: seed.api_key,
    ports: stack.ports,
  }
  process.stdout.write(`${JSON.stringify(facts)}\n`)
  for await (const _ of process.stdin);
} finally {
  await dispose({ keepFiles: false })
}
process.exit()
