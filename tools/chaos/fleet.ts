import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPart } from '../dev/server.ts'
import type { Stack } from '../dev/stack.ts'
import { apiCaller } from './api-caller.ts'
import { type Journal, openJournal } from './journal.ts'
import { type LedgerLine, readLedger } from './ledger.ts'
import type { Random } from './random.ts'
import { type RecordReader, recordReader } from './records.ts'
import { type RunClient, runClient } from './run-client.ts'
import { type Supervision, supervise } from './supervision.ts'
import { startTemporaryStack } from './temporary-stack.ts'

/** Two gateways and two workers on one address, with Postgres, Redis and Restate: all supervised, all of it mortal. */
export interface Fleet {
  stack: Stack
  gateways: readonly [ServerPart, ServerPart]
  workers: readonly [ServerPart, ServerPart]
  supervision: Supervision
  client: RunClient
  journal: Journal
  records: RecordReader
  ledger(): LedgerLine[]
  agentId(name: string): string
  dispose(options: { keepFiles: boolean }): Promise<void>
}

const clientPatienceMs = 180_000

export async function startFleet(options: {
  name: string
  random: Random
  serverEnv: NodeJS.ProcessEnv
  /** Aborted, by us or by the caller, when it is no use to go on. */
  hopeless: AbortController
}): Promise<Fleet> {
  const temporary = await startTemporaryStack(`chaos-${options.name}`)
  const { stack, seed, agentId } = temporary
  const ledgerFile = join(stack.dir, 'ledger.jsonl')
  const env = {
    ARS_TEST_STACK: 'true',
    ARS_TEST_LEDGER_FILE: ledgerFile,
    ...options.serverEnv,
  }
  const gateways = [
    stack.server({ role: 'gateway', index: 1, env }),
    stack.server({ role: 'gateway', index: 2, env }),
  ] as const
  const workers = [
    stack.server({ role: 'worker', index: 1, env }),
    stack.server({ role: 'worker', index: 2, env }),
  ] as const
  const servers = [...gateways, ...workers]
  const records = recordReader(stack.postgres.url('ars_system'))
  const closers: (() => Promise<void> | void)[] = [() => records.close()]
  const dispose: Fleet['dispose'] = async (how) => {
    for (const close of closers) await close()
    await temporary.dispose(how)
  }
  try {
    await Promise.all(servers.map((server) => server.start()))
    const journal = await openJournal(join(stack.dir, 'client-journal.jsonl'))
    const ca = readFileSync(stack.tls.certFile)
    const client = runClient({
      gateways: stack.ports.gateway.map((port) => apiCaller({ port, ca })),
      apiKey: seed.api_key,
      journal,
      random: options.random.fork('client'),
      patienceMs: clientPatienceMs,
      hopeless: options.hopeless.signal,
    })
    const supervision = supervise(
      [...servers, stack.postgres, stack.redis, stack.restate],
      options.random.fork('supervision'),
      (error) => options.hopeless.abort(error),
    )
    closers.unshift(
      () => supervision.close(),
      () => client.close(),
      () => journal.close(),
    )
    const ledger = (): LedgerLine[] => readLedger(ledgerFile)
    return { stack, gateways, workers, supervision, client, journal, records, ledger, agentId, dispose }
  } catch (error) {
    await dispose({ keepFiles: false })
    throw error
  }
}
