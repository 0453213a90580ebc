import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheDir } from './steps.ts'

/** The keys with which each step has passed, newest first. A step that failed is never written down. */
export type Passed = {
  has(step: string, key: string): boolean
  add(step: string, key: string): void
  /** The keys of the files that a step has passed, whichever they are. */
  filesOf(step: string): ReadonlySet<string>
  addFiles(step: string, keys: readonly string[]): void
}

const keysKept = 20
/** Several times the files of the repository. */
const fileKeysKept = 10_000

export const openPassed = (root: string): Passed => {
  const path = join(root, cacheDir, 'passed.json')
  const keys = readKeys(path)
  const keep = (name: string, added: readonly string[], most: number): void => {
    keys[name] = [...new Set([...added, ...(keys[name] ?? [])])].slice(0, most)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(`${path}.${process.pid}`, JSON.stringify(keys))
    renameSync(`${path}.${process.pid}`, path)
  }
  const files = (step: string): string => `files of ${step}`
  return {
    has: (step, key) => keys[step]?.includes(key) ?? false,
    add: (step, key) => keep(step, [key], keysKept),
    filesOf: (step) => new Set(keys[files(step)]),
    addFiles: (step, added) => keep(files(step), added, fileKeysKept),
  }
}

/** A file that is missing or damaged counts as empty: every step runs again. */
const readKeys = (path: string): Record<string, string[]> => {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, string[]>
  } catch {
    return {}
  }
}
