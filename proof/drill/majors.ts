import { type ChildProcess, execFile, spawn } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { settlePostgresHome } from '@ars/tools/dev/parts/postgres-home'
import { apiCaller } from '../lab/client/api-caller.ts'
import { waitFor } from '../lab/condition.ts'
import { claim, measured } from '../lab/report/outcome.ts'
import { organisationOf } from '../lab/stack/organisation.ts'
import { openSql } from '../lab/stack/sql.ts'
import { startTemporaryStack } from '../lab/stack/temporary-stack.ts'
import { drill } from './drill.ts'
import { readRuns, runClaims, untilAllEnded } from './run-records.ts'
import { type Accepted, orderField } from './traffic.ts'

type Size = {
  /** Runs that have ended before. */
  ended: number
  /** Runs that are under way when the service is stopped. */
  underWay: number
}

const [older, newer] = [15, 17] as const
const maxPauseMs = 10 * 60_000
const run = promisify(execFile)

/** As docs/operate/upgrade.md describes it. Both versions are packages of Debian, in a folder of their own. Needs root and mmdebstrap. */
export const majors = drill<Size>({
  name: 'majors',
  promise: `An installation goes from Postgres ${older} to ${newer} with pg_upgrade: no run is lost, and those under way continue.`,
  sizes: { ci: { ended: 20, underWay: 5 }, full: { ended: 2_000, underWay: 100 } },
  play: async ({ say, keepFiles }, { ended, underWay }) => {
    const temporary = await startTemporaryStack('drill-majors', { postgresSettings: { max_wal_size: '1GB' } })
    const { stack, seed } = temporary
    const root = mkdtempSync(join(tmpdir(), 'ars-majors-'))
    const closers: (() => Promise<unknown> | unknown)[] = [() => remove(root)]
    try {
      say(`unpacking Postgres ${older} and ${newer}`)
      await unpack(root)
      const env = { ARS_TEST_STACK: 'true' }
      const server = stack.server({ role: 'all', env })
      await server.start()
      const records = openSql(stack.postgres.superuserUrl('ars'))
      closers.push(() => records.close())
      const caller = apiCaller({ port: stack.ports.gateway[0] ?? 0, ca: readFileSync(stack.tls.certFile) })
      closers.push(() => caller.close())
      const organisation = organisationOf('kept', seed)
      const accept = async (key: string, steps: number, delay_ms: number): Promise<Accepted> => {
        const sentMs = performance.now()
        const answer = await caller.call({
          method: 'POST',
          path: '/v2/runs',
          headers: { authorization: `Bearer ${seed.api_key}`, 'idempotency-key': key, prefer: 'respond-async' },
          body: {
            agent_id: organisation.agentId('test-steps'),
            input: { steps, delay_ms },
            metadata: { [orderField]: key },
          },
        })
        if (answer.status >= 300) throw new Error(`${key}: ${answer.status} ${answer.text}`)
        return { key, runId: (JSON.parse(answer.text) as { id: string }).id, sentMs, atMs: performance.now() }
      }
      const accepted: Accepted[] = []
      for (let n = 0; n < ended; n++) accepted.push(await accept(`past-${n}`, 1, 0))
      await untilAllEnded({ records, gateways: [caller], organisation, timeoutMs: 300_000 })
      for (let n = 0; n < underWay; n++) accepted.push(await accept(`long-${n}`, 40, 1_000))
      say('stopping the service and Postgres')
      const begunMs = performance.now()
      await server.stop()
      const [left] = await records.query<{ runs: number }>('select count(*)::integer as runs from run_heads')
      await stack.postgres.stop()

      const home = settlePostgresHome(join(stack.dir, 'postgres'), stack.ports.postgres)
      const inside = join(root, home.dataDir, '..')
      mkdirSync(inside, { recursive: true })
      await run('mount', ['--bind', join(home.dataDir, '..'), inside])
      closers.push(() => run('umount', [inside]))
      const data = `${home.dataDir}-${newer}`
      mkdirSync(data, { mode: 0o700 })
      const { uid = 0, gid = 0 } = home.user ?? {}
      chownSync(data, uid, gid)
      const as = (program: string, args: readonly string[]): [string, string[]] => [
        'chroot',
        [
          `--userspec=${uid}:${gid}`,
          root,
          '/usr/bin/env',
          'LC_ALL=C.UTF-8',
          `HOME=${home.socketDir}`,
          program,
          ...args,
        ],
      ]
      const programs = (major: number): string => `/usr/lib/postgresql/${major}/bin`
      await run(...as(`${programs(newer)}/initdb`, ['-D', data, '-U', 'postgres', '--encoding=UTF8', '--auth=trust']))
      say('pg_upgrade')
      const upgradedMs = await timed(() =>
        run(
          ...as('/bin/sh', [
            '-c',
            `cd ${home.socketDir} && exec ${programs(newer)}/pg_upgrade -U postgres --link -b ${programs(older)} -B ${programs(newer)} -d ${home.dataDir} -D ${data}`,
          ]),
        ),
      )
      for (const name of ['postgresql.conf', 'pg_hba.conf']) {
        copyFileSync(join(home.dataDir, name), join(data, name))
        chownSync(join(data, name), uid, gid)
      }
      const postgres = spawn(...as(`${programs(newer)}/postgres`, ['-D', data]), {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      closers.push(() => endOf(postgres))
      const version = await waitFor(
        'the new Postgres',
        () =>
          records
            .query<{ version: string }>(`select current_setting('server_version') as version`)
            .then(([row]) => row?.version)
            .catch(() => undefined),
        { timeoutMs: 60_000 },
      )
      await records.query('analyze')
      await server.start()
      const pauseMs = performance.now() - begunMs
      say(`serving again, on Postgres ${version}`)
      await untilAllEnded({ records, gateways: [caller], organisation, timeoutMs: 300_000 })
      const again = await accept(accepted[0]?.key ?? '', 1, 0)
      const doctor = await stack.command(['doctor'], env).catch(String)
      const runs = await readRuns(records)
      await server.stop()
      return {
        metrics: [
          ['runs', accepted.length],
          ['pg_upgrade, s', Math.round(upgradedMs / 100) / 10],
          ['without the service, s', Math.round(pauseMs / 1_000)],
        ],
        claims: [
          claim('runs were under way', left?.runs === underWay, `${left?.runs}`),
          claim(`Postgres ${newer} serves`, `${version}`.startsWith(`${newer}.`), `${version}`),
          ...runClaims(accepted, runs),
          claim('an idempotency key from before finds its run', again.runId === accepted[0]?.runId, again.runId),
          claim('doctor finds no fault', doctor.includes('All checks passed'), doctor),
          measured(
            'the service is away for at most 10 minutes',
            pauseMs <= maxPauseMs,
            `${Math.round(pauseMs / 1_000)} s`,
          ),
        ],
      }
    } finally {
      for (const close of closers.toReversed()) await close()
      await temporary.dispose({ keepFiles })
    }
  },
})

/** Packages of two releases of Debian, without their scripts. */
const unpack = async (root: string): Promise<void> => {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)', 'Created-By: Packages'])
  const mirror =
    process.env.DEBIAN_MIRROR ?? stdout.split('\n').find((line) => line.replace(/\/$/, '').endsWith('debian')) ?? ''
  const packages = [`postgresql-${older}`, `postgresql-${newer}`, 'base-files', 'dash', 'coreutils', 'tzdata']
  const sources = ['trixie', 'bookworm'].map((suite) => `deb ${mirror} ${suite} main`)
  const how = ['--quiet', '--mode=root', '--variant=extract', `--include=${packages.join(',')}`]
  await run('mmdebstrap', [...how, 'trixie', root, ...sources], { maxBuffer: 64 * 1024 * 1024 })
  await run('ln', ['--symbolic', '--force', 'dash', join(root, 'usr/bin/sh')])
  mkdirSync(join(root, 'etc'), { recursive: true })
  copyFileSync('/etc/passwd', join(root, 'etc/passwd'))
  writeFileSync(join(root, 'etc/hosts'), '127.0.0.1 localhost\n')
  // What Postgres opens there.
  mkdirSync(join(root, 'dev/shm'), { recursive: true, mode: 0o1777 })
  chmodSync(join(root, 'dev/shm'), 0o1777)
  for (const name of ['null', 'urandom', 'random', 'zero'])
    await run('cp', ['--archive', `/dev/${name}`, join(root, 'dev')])
}

/** A mount below it that is still there would be deleted too. */
const remove = async (root: string): Promise<void> => {
  if (readFileSync('/proc/mounts', 'utf8').includes(` ${root}/`)) throw new Error(`${root} has mounts`)
  rmSync(root, { recursive: true, force: true })
}

const endOf = async (child: ChildProcess): Promise<void> => {
  child.kill('SIGINT')
  await waitFor('the end of the new Postgres', () => child.exitCode !== null || child.signalCode !== null, {
    timeoutMs: 60_000,
  })
}

const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begun = performance.now()
  await work()
  return performance.now() - begun
}
