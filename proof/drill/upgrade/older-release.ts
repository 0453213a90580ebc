import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { needsStop } from '@ars/platform/db/migrate'
import { readSchemaFiles } from '@ars/platform/db/schema-files'
import { PartError } from '@ars/tools/dev/parts/part'
import { repositoryDir } from '@ars/tools/dev/server'

/** The release that is upgraded, in a folder of this computer. */
export type OlderRelease = {
  checkout: string
  /** In words, for the report. */
  name: string
  /** Migrations of this tree that it does not have. */
  newMigrations: readonly string[]
  /** Those of them before which all processes must stop. */
  stops: readonly string[]
  remove(): void
}

const run = promisify(execFile)

/** The release of a commit, with its dependencies. Without a commit, this tree: then only the handover is rehearsed. */
export const openOlderRelease = async (commit: string | undefined): Promise<OlderRelease> => {
  if (commit === undefined) {
    return { checkout: repositoryDir, name: 'this tree', newMigrations: [], stops: [], remove: () => undefined }
  }
  const checkout = mkdtempSync(join(tmpdir(), 'ars-older-'))
  const remove = (): void => rmSync(checkout, { recursive: true, force: true })
  try {
    const archive = join(checkout, 'tree.tar')
    await run('git', ['archive', '-o', archive, commit], { cwd: repositoryDir })
    await run('tar', ['xf', archive], { cwd: checkout })
    const install = ['install', '--frozen-lockfile', '--prefer-offline', '--ignore-scripts']
    await run('pnpm', install, { cwd: checkout, maxBuffer: 16 * 1024 * 1024 })
    const known = (await readSchemaFiles(join(checkout, 'db'))).migrations.map(({ name }) => name)
    const added = (await readSchemaFiles(join(repositoryDir, 'db'))).migrations.filter(
      ({ name }) => !known.includes(name),
    )
    const newMigrations = added.map(({ name }) => name)
    const stops = added.filter(({ text }) => text.startsWith(needsStop)).map(({ name }) => name)
    return { checkout, name: `commit ${commit.slice(0, 7)}`, newMigrations, stops, remove }
  } catch (error) {
    remove()
    throw new PartError(
      `The release of ${commit} cannot be made: ${(error as { stderr?: string }).stderr || String(error)}`,
      {
        cause: error,
      },
    )
  }
}
