import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { createLog } from '@ars/platform/log/log'
import { openSmtp } from '@ars/platform/mail/smtp'
import { workDue } from '@ars/platform/work/due-work.fixture'
import { createMailQueues } from './mail-post.service.ts'

/** A process that sends what is due and is killed by its test: the first argument is the database, the second the port. */
const [url = '', port = ''] = process.argv.slice(2)
const log = createLog({ level: 'silent' })

const { links } = createMailQueues({
  deliveries: openDatabase({ url, name: 'mail-post', size: 2, log, acquireTimeoutMs: 30_000 }),
  secrets: {
    open: async (_org, sealed) => Buffer.from(sealed).toString(),
    seal: () => Promise.reject(new Error('unused')),
    fingerprint: () => Promise.reject(new Error('unused')),
  },
  smtp: openSmtp({
    server: { host: '127.0.0.1', port: Number(port), isTlsFromStart: false, login: undefined },
    from: { name: '', address: 'runs@example.org' },
    tls: 'off',
    clock: systemClock,
  }),
  deliveryEgress: { request: () => Promise.reject(new Error('unused')) },
  config: { publicUrl: 'https://runs.example.org' },
  log,
})
await workDue(links)
