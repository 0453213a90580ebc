import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import { systemClock } from '@ars/platform/clock'
import type { Session } from '@ars/platform/db/session'
import { fromUuid } from '@ars/platform/id'
import { version } from '../version.ts'
import { type Command, CommandFailed, organisationOf, required, tell } from './command.ts'
import {
  beginSnapshot,
  joinSnapshot,
  listTenantTables,
  peopleTable,
  readRows,
  statementTimeoutMs,
  type TenantTable,
} from './organisation-rows.store.ts'
import { withOperatorSessions } from './with-services.ts'

/** `admin export-org`: every row of an organisation as JSON Lines, a file for each table, and a manifest with checksums. */
export const exportOrg: Command = {
  usage: '--org ID --to FOLDER [--json]',
  does: 'write all data of an organisation into a folder, as JSON Lines',
  options: { org: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } },
  run: async (env, values) => {
    const [org, to] = [organisationOf(values), resolve(required(values, 'to'))]
    if (existsSync(to) && readdirSync(to).length > 0)
      throw new CommandFailed(`${to} is not empty. Name a folder that does not exist; nothing is overwritten.`)
    // The folder gets its name last, so that a folder with this name is complete.
    const making = `${to}.unfinished`
    rmSync(making, { recursive: true, force: true })
    mkdirSync(dirname(making), { recursive: true })
    // Fails if somebody else has made it meanwhile, because the owner of a folder can replace its files.
    mkdirSync(making, { mode: 0o700 })
    const manifest = await withOperatorSessions(env, { timeoutMs: statementTimeoutMs }, (sessions) =>
      exportInto(sessions, org, making),
    ).catch((error) => {
      rmSync(making, { recursive: true, force: true })
      throw error
    })
    writeFileSync(join(making, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    rmSync(to, { recursive: true, force: true })
    renameSync(making, to)
    const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
    return tell(values, { folder: to, tables: manifest.tables.length, rows }, [
      `Wrote ${rows} rows of ${manifest.tables.length} tables into ${to}.`,
      'Secrets, keys and password hashes are left out; manifest.json names these columns.',
    ])
  },
}

type TableFacts = { table: string; rows: number; bytes: number; sha256: string; left_out: string[] }
type Manifest = {
  format: 1
  organisation: string
  name: string
  made_at: string
  program_version: string
  left_out: string
  tables: TableFacts[]
}

/** The owner may read every table, and row-level security restricts it to the organisation. */
type Sessions = { owner: Session; system: Session }

const exportInto = async ({ owner, system }: Sessions, org: string, folder: string): Promise<Manifest> => {
  const organisation = await beginSnapshot(owner, org)
  if (!organisation) throw new CommandFailed(`No organisation ${fromUuid('org', org)}`)
  await joinSnapshot(system, org, organisation.snapshot)
  const tables: TableFacts[] = []
  const write = async (session: Session, table: TenantTable): Promise<void> => {
    const facts = await writeTable(session, org, { table, folder })
    process.stderr.write(`${table.name}: ${facts.rows} rows\n`)
    tables.push(facts)
  }
  const all = await listTenantTables(owner)
  // First, because a transaction that waits for all other tables would time out.
  for (const table of all.filter(({ name }) => name === peopleTable)) await write(system, table)
  await system.query('commit')
  for (const table of all.filter(({ name }) => name !== peopleTable)) await write(owner, table)
  return {
    format: 1,
    organisation: fromUuid('org', org),
    name: organisation.name,
    made_at: systemClock.now().toISOString(),
    program_version: version,
    left_out:
      'Sealed secrets, data keys, and hashes of credentials and passwords are of no use elsewhere and are left out.',
    tables,
  }
}

const writeTable = async (
  session: Session,
  org: string,
  { table, folder }: { table: TenantTable; folder: string },
): Promise<TableFacts> => {
  const file = createWriteStream(join(folder, `${table.name}.jsonl`), { mode: 0o600, flags: 'wx' })
  const hash = createHash('sha256')
  let [rows, bytes] = [0, 0]
  const onLines = async (lines: string[]): Promise<void> => {
    const text = Buffer.from(lines.map((line) => `${line}\n`).join(''))
    rows += lines.length
    bytes += text.length
    hash.update(text)
    if (!file.write(text)) await once(file, 'drain')
  }
  try {
    await readRows(session, org, { table, onLines })
  } finally {
    file.end()
  }
  await finished(file)
  return { table: table.name, rows, bytes, sha256: hash.digest('hex'), left_out: table.secretColumns }
}
