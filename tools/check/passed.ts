import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cacheDir } from './steps.ts'

/** The keys with which each step has passed, newest first. A step that failed is never written down. */
export type Passed = {
  has(step: string, key: string): boolean
  add(step: string, key: string): void
}

const keysKept = 20

export const openPassed = (root: string): Passed => {
  const path = join(root, cacheDir, 'passed.json')
  const keys = readKeys(path)
  return {
    has: (step, key) => keys[step]?.includes(key) ?? false,
    add: (step, key) => {
      keys[step] = [key, ...(keys[step] ?? []).filter((other) => other !== key)].slice(0, keysKept)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(`${path}.${process.pid}`, JSON.stringify(keys))
      renameSync(`${path}.${process.pid}`, path)
    },
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
