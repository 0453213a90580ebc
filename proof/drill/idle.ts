import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { repositoryDir } from '@ars/tools/dev/server'
import { processorMs } from '../lab/measure/process-metrics.ts'
import { type Metric, measured } from '../lab/report/outcome.ts'
import { openSql, type Sql } from '../lab/stack/sql.ts'
import { startTemporaryStack } from '../lab/stack/temporary-stack.ts'
import { drill } from './drill.ts'

type Size = {
  /** Without any request, before the measurement. */
  idleSeconds: number
  /** Of the measurement. */
  seconds: number
}

const maxBytes = 350 * 1024 * 1024
const maxCoreShare = 0.03

/** A small machine runs one process for both roles. The engine, Postgres and Redis are counted apart. */
export const idle = drill<Size>({
  name: 'idle',
  promise: 'One process of both roles, from the bundle, needs at most 350 MB and 3 % of a core while nothing happens.',
  sizes: { ci: { idleSeconds: 60, seconds: 30 }, full: { idleSeconds: 300, seconds: 120 } },
  play: async ({ say, keepFiles }, { idleSeconds, seconds }) => {
    const temporary = await startTemporaryStack('drill-idle')
    const { stack } = temporary
    const records = openSql(stack.postgres.superuserUrl('ars'))
    try {
      const bundle = join(stack.dir, 'bundle')
      say('building the bundle')
      await buildBundle(bundle)
      const server = stack.server({ role: 'all', env: { ARS_TEST_STACK: 'true' }, checkout: bundle })
      await server.start()
      const pid = server.pid() ?? 0
      say(`serving; nothing happens for ${idleSeconds} s`)
      await sleep(idleSeconds * 1_000)
      const from = await look(pid, records)
      await sleep(seconds * 1_000)
      const to = await look(pid, records)
      const share = (to.cpuMs - from.cpuMs) / (to.atMs - from.atMs)
      const perSecond = (count: number): string => ((1_000 * count) / (to.atMs - from.atMs)).toFixed(1)
      const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`
      const metrics: Metric[] = [
        ['proportional set size', megabytes(to.bytes)],
        ['share of a core', `${(100 * share).toFixed(2)} %`],
        ['transactions of Postgres a second', perSecond(to.transactions - from.transactions)],
        ['bytes of WAL a second', perSecond(to.walBytes - from.walBytes)],
      ]
      const claims = [
        measured('at most 350 MB (PSS)', to.bytes <= maxBytes, megabytes(to.bytes)),
        measured('at most 3 % of a core', share <= maxCoreShare, `${(100 * share).toFixed(2)} %`),
      ]
      return { metrics, claims }
    } finally {
      await records.close()
      await temporary.dispose({ keepFiles })
    }
  },
})

/** The drill opens no page, so the page before its build stands for the dashboard where there is none. */
const buildBundle = async (folder: string): Promise<void> => {
  const page = join(repositoryDir, 'apps/dashboard/dist/index.html')
  if (!existsSync(page)) {
    mkdirSync(join(page, '..'), { recursive: true })
    writeFileSync(page, readFileSync(join(repositoryDir, 'apps/dashboard/index.html')))
  }
  await promisify(execFile)(process.execPath, ['apps/server/build.ts', folder], { cwd: repositoryDir })
}

type Look = { atMs: number; cpuMs: number; bytes: number; transactions: number; walBytes: number }

const look = async (pid: number, records: Sql): Promise<Look> => {
  const [row] = await records.query<{ transactions: string; wal: string }>(
    `select xact_commit + xact_rollback as transactions, pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') as wal
       from pg_stat_database where datname = current_database()`,
  )
  const [, kilobytes = '0'] = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? []
  return {
    atMs: performance.now(),
    cpuMs: processorMs(pid),
    bytes: Number(kilobytes) * 1024,
    transactions: Number(row?.transactions ?? 0),
    walBytes: Number(row?.wal ?? 0),
  }
}
