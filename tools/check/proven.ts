import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

// node tools/check/proven.ts <phase> <command...>: runs a phase of `.ci/run`, unless it passed with exactly these files. A run that
// passes outside CI records the hash of the files in tools/check/proven.json, which is committed.

/** The files that decide whether a phase passes. The service behind the API is proven by its own tests. */
export const inputsOf: Readonly<Record<string, readonly string[]>> = {
  sdks: ['sdks', 'proof/sdks', 'packages/contract/openapi.json'],
  generators: ['proof/generators', 'packages/contract/openapi.json'],
  dashboard: ['apps/dashboard', 'sdks/typescript', 'packages/contract/openapi.json'],
}

const root = join(import.meta.dirname, '../..')
const provenFile = join(import.meta.dirname, 'proven.json')

export const hashOf = (files: readonly { path: string; content: Buffer }[]): string => {
  const hash = createHash('sha256')
  for (const { path, content } of files.toSorted((one, other) => (one.path < other.path ? -1 : 1))) {
    hash.update(`${path}\0${content.length}\0`).update(content)
  }
  return hash.digest('hex')
}

const hashOfInputs = (phase: string): string => {
  const listed = spawnSync('git', ['ls-files', '-z', '--', ...(inputsOf[phase] ?? [])], { cwd: root, encoding: 'utf8' })
  if (listed.status !== 0) throw new Error(listed.stderr)
  const paths = listed.stdout.split('\0').filter((path) => path !== '')
  return hashOf(paths.map((path) => ({ path, content: readFileSync(join(root, path)) })))
}

const main = ([phase = '', program = '', ...args]: readonly string[]): number => {
  if (!(phase in inputsOf)) throw new Error(`There is no phase ${phase}: ${Object.keys(inputsOf).join(', ')}`)
  const hash = hashOfInputs(phase)
  const proven = JSON.parse(readFileSync(provenFile, 'utf8')) as Record<string, string>
  if (proven[phase] === hash) {
    console.log(`${phase}: passed with exactly these files before, ${hash.slice(0, 12)}.`)
    return 0
  }
  const { status } = spawnSync(program, args, { cwd: root, stdio: 'inherit' })
  if (status === 0 && !process.env.CI) {
    writeFileSync(provenFile, `${JSON.stringify({ ...proven, [phase]: hash }, null, 2)}\n`)
  }
  return status ?? 1
}

if (import.meta.main) process.exitCode = main(process.argv.slice(2))
