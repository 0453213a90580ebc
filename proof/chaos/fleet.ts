import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerPart } from '@ars/tools/dev/server'
import type { Stack } from '@ars/tools/dev/stack'
import { apiCaller, type CallerOptions } from '../lab/client/api-caller.ts'
import type { Random } from '../lab/random.ts'
import { type Organisation, organisationOf, plantOrganisation, setConcurrency } from '../lab/stack/organisation.ts'
import type { SmallDisks } from '../lab/stack/small-disk.ts'
import { startTemporaryStack } from '../lab/stack/temporary-stack.ts'
import { type Edges, openEdges } from './edges.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'
import { type Journal, openJournal } from './journal.ts'
import { type LedgerLine, readLedger } from './ledger.ts'
import { type Neighbour, startNeighbour } from './neighbour.ts'
import { type Receiver, startReceiver } from './receiver.ts'
import { type RecordReader, recordReader } from './records.ts'
import { type RunClient, runClient } from './run-client.ts'
import { type SlotWatch, watchSlots } from './slots.ts'
import { type Supervision, supervise } from './supervision.ts'

/**
 * Two gateways and two workers on one address, with Postgres, Redis and Restate: all supervised, all of it mortal, the
 * second gateway and worker behind toxic edges. Beside the customer whose runs are tried there is a quiet neighbour.
 */
export type Fleet = {
  stack: Stack
  gateways: readonly [ServerPart, ServerPart]
  workers: readonly [ServerPart, ServerPart]
  /** What every server was started with. */
  serverEnv: NodeJS.ProcessEnv
  supervision: Supervision
  edges: Edges
  /** The vendor of the models `fake/…`. */
  provider: FakeProvider
  /** What customers register as webhooks. */
  receiver: Receiver
  slots: SlotWatch
  organisation: Organisation
  organisations: readonly Organisation[]
  client: RunClient
  neighbour: Neighbour
  journal: Journal
  records: RecordReader
  ledger(): LedgerLine[]
  /** Of the customer whose runs are tried. */
  agentId(name: string): string
  /** One more customer, with a separate client. */
  addOrganisation(label: string, options: { concurrentRuns: number }): Promise<{ client: RunClient } & Organisation>
  /** Speaks to a gateway, 0 or 1, in another way than the clients do. */
  caller(gateway: number, options?: Partial<CallerOptions>): ReturnType<typeof apiCaller>
  dispose(options: { keepFiles: boolean }): Promise<void>
}

export type FleetOptions = {
  name: string
  random: Random
  serverEnv: NodeJS.ProcessEnv
  /** A Postgres with the settings of `initdb`, and no others. */
  isStock: boolean
  smallDisks: SmallDisks
  /** The checkout of an earlier release, whose workers begin the runs; without it, this one. */
  older?: string | undefined
  /** Aborted, by us or by the caller, when it is no use to go on. */
  hopeless: AbortController
}

/** Its write-ahead log leaves room on a small file system. */
const smallLog = { max_wal_size: '96MB', min_wal_size: '80MB' }

const clientPatienceMs = 180_000
const concurrentRuns = 500
const providerHost = '127.0.0.52'

export const startFleet = async ({
  name,
  random,
  serverEnv,
  isStock,
  smallDisks,
  older,
  hopeless,
}: FleetOptions): Promise<Fleet> => {
  const temporary = await startTemporaryStack(`chaos-${name}`, {
    smallDisks,
    ...(isStock && { postgresSettings: 'stock' }),
    ...(smallDisks.postgres !== undefined && { postgresSettings: smallLog }),
  })
  const { stack, seed } = temporary
  const closers: (() => Promise<void> | void)[] = []
  const dispose: Fleet['dispose'] = async (how) => {
    for (const close of closers.toReversed()) await close()
    await temporary.dispose(how)
  }
  try {
    const edges = await openEdges(stack)
    closers.push(() => edges.close())
    const provider = await startFakeProvider({
      host: providerHost,
      port: stack.ports.base,
      modelsFile: join(stack.dir, 'models.yaml'),
    })
    closers.push(() => provider.close())
    // The third port of a block is spare on every address.
    const receiver = await startReceiver({ dir: stack.dir, port: stack.ports.base + 2 })
    closers.push(() => receiver.close())
    const ledgerFile = join(stack.dir, 'ledger.jsonl')
    const env = {
      ARS_TEST_STACK: 'true',
      ARS_TEST_LEDGER_FILE: ledgerFile,
      ARS_WORKER_URL: edges.workerUrl,
      ARS_MODELS_FILE: provider.modelsFile,
      ...receiver.env,
      ...serverEnv,
    }
    const gateways = [
      stack.server({ role: 'gateway', index: 1, env }),
      stack.server({ role: 'gateway', index: 2, env: { ...env, ...edges.env('gateway-2') } }),
    ] as const
    const release = older === undefined ? {} : { checkout: older }
    const workers = [
      stack.server({ role: 'worker', index: 1, env, ...release }),
      stack.server({ role: 'worker', index: 2, env: { ...env, ...edges.env('worker-2') }, ...release }),
    ] as const
    const servers = [...gateways, ...workers]
    // It sees every row and every table. No role of a process does.
    const records = recordReader(stack.postgres.superuserUrl('ars'))
    closers.push(() => records.close())
    const started = Promise.all(servers.map((server) => server.start()))
    const organisation = organisationOf('a', seed)
    const plant = (label: string): Promise<Organisation> =>
      plantOrganisation(stack, label, { records, like: organisation })
    const organisations = [organisation, await plant('b')]
    await setConcurrency(records, organisation, concurrentRuns)
    await started

    const journal = await openJournal(join(stack.dir, 'client-journal.jsonl'))
    closers.push(() => journal.close())
    const ca = readFileSync(stack.tls.certFile)
    const caller: Fleet['caller'] = (gateway, options = {}) =>
      apiCaller({ port: stack.ports.gateway[gateway] ?? 0, ca, ...options })
    const clientOf = ({ label, apiKey }: Organisation): RunClient => {
      const client = runClient({
        org: label,
        gateways: [caller(0), caller(1)],
        apiKey,
        journal,
        random: random.fork(`client/${label}`),
        patienceMs: clientPatienceMs,
        hopeless: hopeless.signal,
      })
      closers.push(() => client.close())
      return client
    }
    const client = clientOf(organisation)
    const supervision = supervise(
      [...servers, stack.postgres, stack.redis, stack.restate],
      random.fork('supervision'),
      (error) => hopeless.abort(error),
    )
    closers.push(() => supervision.close())
    const slots = watchSlots(records)
    closers.push(() => slots.close())
    const [, quiet] = organisations
    if (!quiet) throw new Error('there is no neighbour')
    const neighbour = startNeighbour({ client: clientOf(quiet), organisation: quiet, records, stranger: organisation })
    closers.push(() => neighbour.close())
    return {
      stack,
      gateways,
      workers,
      serverEnv: env,
      supervision,
      edges,
      provider,
      receiver,
      slots,
      organisation,
      organisations,
      client,
      neighbour,
      journal,
      records,
      caller,
      ledger: () => readLedger(ledgerFile),
      agentId: (wanted) => organisation.agentId(wanted),
      addOrganisation: async (label, limits) => {
        const added = await plant(label)
        await setConcurrency(records, added, limits.concurrentRuns)
        organisations.push(added)
        return { ...added, client: clientOf(added) }
      },
      dispose,
    }
  } catch (error) {
    await dispose({ keepFiles: false })
    throw error
  }
}
