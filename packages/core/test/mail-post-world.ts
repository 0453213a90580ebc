import { systemClock } from '@ars/platform/clock'
import { type Database, openDatabase } from '@ars/platform/db/database'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openSmtp } from '@ars/platform/mail/smtp'
import { workDue } from '@ars/platform/work/due-work.fixture'
import { asClient } from '@ars/testkit/client'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { type MailServer, startMailServer } from '@ars/testkit/mail-server'
import { afterAll, afterEach, beforeAll } from 'vitest'
import { createMailQueues } from '../src/mail/mail-post.service.ts'

export type Row = {
  outcome: string | null
  error: string | null
  attempts: number
  address: string | null
  link: Buffer | null
}

/** A database with mails that are due, and mail servers. Its hooks belong to the file that calls it. */
export const mailPostWorld = () => {
  const newId = createIdMaker(systemClock)
  const lines: string[] = []
  const log = createLog({ level: 'debug', write: (line) => lines.push(line) })
  const link = 'https://runs.example.org/dashboard/invitation#token=s3cr3t-token'

  let database: TestDatabase
  let deliveries: Database
  let org: string
  beforeAll(async () => {
    database = await createTestDatabase()
    deliveries = openDatabase({ url: database.systemUrl, name: 'test', size: 4, log, acquireTimeoutMs: 30_000 })
    org = toUuid(newId('org'))
    await query("insert into organisations (id, name) values ($1, 'Acme <b>&</b>\r\nBcc: eve@example.com')", [org])
  })
  const servers: MailServer[] = []
  afterEach(async () => {
    await query('delete from mails')
    await Promise.all(servers.splice(0).map((server) => server.close()))
  })
  afterAll(async () => {
    await deliveries.close()
    await database.drop()
  })

  const query = <Row>(text: string, values: unknown[] = []): Promise<Row[]> =>
    asClient(database.superuserUrl, async (client) => (await client.query(text, values)).rows as Row[])

  const serverOf = async (options: Parameters<typeof startMailServer>[0] = {}): Promise<MailServer> => {
    const server = await startMailServer(options)
    servers.push(server)
    return server
  }

  const postTo = ({ port }: MailServer, onMailEnded = (_: object): void => undefined, timeoutMs = 30_000) => {
    const queues = createMailQueues({
      deliveries,
      secrets: {
        open: async (_org, sealed) => Buffer.from(sealed).toString(),
        seal: () => Promise.reject(new Error('unused')),
        fingerprint: () => Promise.reject(new Error('unused')),
      },
      smtp: openSmtp({
        server: { host: '127.0.0.1', port, isTlsFromStart: false, login: undefined },
        from: { name: '', address: 'runs@example.org' },
        tls: 'off',
        clock: systemClock,
        timeoutMs,
      }),
      deliveryEgress: { request: () => Promise.reject(new Error('unused')) },
      config: { publicUrl: 'https://runs.example.org/' },
      log,
      onMailEnded,
    })
    return {
      queues,
      /** Sends what is due. Answers how many mails it took. */
      sendDue: async (): Promise<number> => {
        let taken = 0
        for (const queue of Object.values(queues)) taken += (await workDue(queue, { count: 10, perOrg: 10 })).length
        return taken
      },
    }
  }

  const plant = async (address = 'ada@example.com'): Promise<string> => {
    const id = toUuid(newId('mail'))
    await query(
      `insert into mails (id, org_id, kind, address, link, due_at) values ($1, $2, 'invitation', $3, $4, app_now())`,
      [id, org, address, Buffer.from(link)],
    )
    return id
  }
  const rowOf = async (id: string): Promise<Row | undefined> =>
    (await query<Row>('select outcome, error, attempts, address, link from mails where id = $1', [id]))[0]

  return {
    lines,
    link,
    serverOf,
    postTo,
    plant,
    rowOf,
    query,
    get database() {
      return database
    },
    get deliveries() {
      return deliveries
    },
  }
}
