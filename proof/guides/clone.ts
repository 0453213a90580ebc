import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { removePostgresHome } from '@ars/tools/dev/parts/postgres-home'

export type Clone = { readonly dir: string; readonly scratch: string; remove(): void }

// What .gitignore names, and git itself.
const notInAClone = new Set(['.git', 'node_modules', '.dev', '.ci-state', 'coverage'])

/**
 * The files of the repository in a new directory, as a clone would have them, but also those that are not committed yet.
 * Nothing is installed or started there.
 */
export const makeClone = (root: string): Clone => {
  const home = mkdtempSync(join(tmpdir(), 'ars-guides-'))
  // Postgres runs as another user when we are root, and must be able to walk through.
  chmodSync(home, 0o711)
  const [dir, scratch] = [join(home, 'agent-run-service'), join(home, 'blocks')]
  mkdirSync(scratch)
  cpSync(root, dir, { recursive: true, filter: (file) => !notInAClone.has(basename(file)) })
  return {
    dir,
    scratch,
    remove: () => {
      removePostgresHome(join(dir, '.dev', 'postgres'))
      rmSync(home, { recursive: true, force: true })
    },
  }
}
