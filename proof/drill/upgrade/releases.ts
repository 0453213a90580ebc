import { execFile } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needsStop } from '@ars/platform/db/migrate'
import { readSchemaFiles } from '@ars/platform/db/schema-files'
import { PartError } from '@ars/tools/dev/parts/part'
import { repositoryDir } from '@ars/tools/dev/server'
import { plantChanges } from './planted.ts'

/** The release that is upgraded and the one that follows it, in folders of this computer. Each is a bundle, as a release is. */
export type Releases = {
  older: { bundle: string; commit: string }
  /** Made of a copy of this tree with planted changes of the schema. */
  newer: { bundle: string }
  /** Migrations and functions of the newer release that the older one does not have. */
  newMigrations: readonly string[]
  newFunctions: readonly string[]
  /** Those of the migrations before which all processes must stop. */
  stops: readonly string[]
  remove(): void
}

const run = promisify(execFile)
const maxBuffer = 16 * 1024 * 1024

/** Without a commit, the older release is the last commit that changed the baseline: before it, a database has another history. */
export const openReleases = async (from: string | undefined): Promise<Releases> => {
  const commit = from ?? (await git(['log', '-1', '--format=%H', '--', 'db/baseline.sql'])).trim()
  const [older, newer] = ['ars-older-', 'ars-newer-'].map((name) => mkdtempSync(join(tmpdir(), name))) as [
    string,
    string,
  ]
  const remove = (): void => {
    for (const folder of [older, newer]) rmSync(folder, { recursive: true, force: true })
  }
  try {
    const archive = join(older, 'tree.tar')
    await git(['archive', '-o', archive, commit])
    await unpack(archive, older)
    await copyTree(newer)
    plantChanges(newer)
    for (const checkout of [older, newer]) {
      await install(checkout)
      await buildBundle(checkout)
    }
    const [known, all] = [await readSchemaFiles(join(older, 'db')), await readSchemaFiles(join(newer, 'db'))]
    const added = all.migrations.filter(({ name }) => !known.migrations.some((each) => each.name === name))
    const changed = all.functions.filter(({ hash }) => !known.functions.some((each) => each.hash === hash))
    return {
      older: { bundle: join(older, bundle), commit },
      newer: { bundle: join(newer, bundle) },
      newMigrations: added.map(({ name }) => name),
      newFunctions: changed.map(({ name }) => name),
      stops: added.filter(({ text }) => text.startsWith(needsStop)).map(({ name }) => name),
      remove,
    }
  } catch (error) {
    remove()
    const reason = (error as { stderr?: string }).stderr || String(error)
    throw new PartError(`The releases of the upgrade from ${commit} cannot be made: ${reason}`, { cause: error })
  }
}

const bundle = 'bundle'

/** The drill opens no page, so the page before its build stands for the dashboard. */
const buildBundle = async (checkout: string): Promise<void> => {
  cpSync(join(checkout, 'apps/dashboard/index.html'), join(checkout, 'apps/dashboard/dist/index.html'))
  await run(process.execPath, ['apps/server/build.ts', join(checkout, bundle)], { cwd: checkout, maxBuffer })
}

const git = async (args: readonly string[]): Promise<string> =>
  (await run('git', args, { cwd: repositoryDir, maxBuffer })).stdout

const unpack = (archive: string, folder: string): Promise<unknown> => run('tar', ['xf', archive], { cwd: folder })

/** The files of this tree, also those that are not committed. */
const copyTree = async (folder: string): Promise<void> => {
  const archive = join(folder, 'tree.tar')
  const list = 'git ls-files -z --cached --others --exclude-standard --deduplicate'
  // A deleted file is listed until the deletion is committed.
  await run('sh', ['-c', `${list} | tar c --null --ignore-failed-read -T - -f "$1"`, 'sh', archive], {
    cwd: repositoryDir,
  })
  await unpack(archive, folder)
}

const install = (checkout: string): Promise<unknown> =>
  run('pnpm', ['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts'], { cwd: checkout, maxBuffer })
