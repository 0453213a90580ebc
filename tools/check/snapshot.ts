import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isConfiguration, type Step } from './steps.ts'

/** The tree at one moment: a hash for each file, the installed packages and the commits that a step compares with. */
export type Snapshot = {
  readonly files: ReadonlyMap<string, string>
  /** A hash of the imports of each file of code. */
  readonly imports: ReadonlyMap<string, string>
  readonly installed: string
  readonly history: string
}

const skippedFolders = new Set(['node_modules', '.git', '.dev', '.ci-state', '.cache', 'coverage'])

export const readSnapshot = (root: string): Snapshot => {
  const lock = join(root, 'node_modules/.pnpm/lock.yaml')
  const files = new Map<string, string>()
  const imports = new Map<string, string>()
  for (const path of pathsBelow(root, '')) {
    const content = readFileSync(join(root, path))
    files.set(path, hashOf([content]))
    if (code.test(path)) imports.set(path, hashOf(content.toString().match(importing) ?? []))
  }
  return {
    files,
    imports,
    installed: hashOf([process.version, process.platform, existsSync(lock) ? readFileSync(lock) : '']),
    history: ['HEAD', 'origin/main'].map((ref) => git(root, 'rev-parse', '--verify', '--quiet', ref)).join(' '),
  }
}

const code = /\.[cm]?[jt]sx?$/
/** Everything between `import` or `export` and the name of a module, and calls of `import`. */
const importing = /\b(?:import|export)\b[^'"`;]*?\bfrom\s*['"][^'"]+['"]|\b(?:import|require)\s*\(?\s*['"][^'"]+['"]/g

/** Equal keys mean that the step would read the same bytes with the same tools, and so give the same result. */
export const keyOf = (
  { name, command, reads, readsHistory, readsImports }: Step,
  { files, imports, installed, history }: Snapshot,
): string =>
  hashOf([
    JSON.stringify([name, command, installed, readsHistory ? history : '']),
    ...[...files]
      .filter(([path]) => isConfiguration(path) || reads(path))
      .map(([path, hash]) => `${path} ${(readsImports && !isConfiguration(path) && imports.get(path)) || hash}`)
      .sort(),
  ])

/** A key for the configuration alone, and one for each other file: what a step that takes files has passed. */
export const fileKeysOf = ({ name, command, reads }: Step, { files, installed }: Snapshot): Map<string, string> => {
  const configuration = [...files].filter(([path]) => isConfiguration(path)).map(([path, hash]) => `${path} ${hash}`)
  const around = hashOf([JSON.stringify([name, command, installed]), ...configuration.sort()])
  return new Map(
    [...files].filter(([path]) => reads(path)).map(([path, hash]) => [path, hashOf([around, path, hash]).slice(0, 16)]),
  )
}

/** Files that differ from the commit at which this branch left main; on main, from the last commit. */
export const changedFiles = (root: string): string[] => {
  const base = ['origin/main', 'main'].map((ref) => git(root, 'merge-base', 'HEAD', ref)).find(Boolean) ?? 'HEAD'
  const tracked = git(root, 'diff', '--name-only', '--no-renames', base)
  return `${tracked}\n${git(root, 'ls-files', '--others', '--exclude-standard')}`.split('\n').filter(Boolean)
}

const hashOf = (pieces: readonly (string | Buffer)[]): string => {
  const hash = createHash('sha256')
  for (const piece of pieces) hash.update(piece).update('\0')
  return hash.digest('hex')
}

const pathsBelow = (root: string, folder: string): string[] =>
  readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`
    if (entry.isDirectory()) return skippedFolders.has(entry.name) ? [] : pathsBelow(root, path)
    return entry.isFile() ? [path] : []
  })

/** The answer of git, or nothing when git refuses. The variables of a hook would lead it to another repository. */
const git = (root: string, ...words: string[]): string => {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  try {
    return execFileSync('git', ['-C', root, ...words], { env, stdio: ['ignore', 'pipe', 'ignore'] })
      .toString()
      .trim()
  } catch {
    return ''
  }
}
