import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { bump } from './bump.ts'

const repository = join(import.meta.dirname, '../..')
const root = mkdtempSync(join(tmpdir(), 'ars-bump-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))

const write = (path: string, text: string): void => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const manifest = (name: string): string => `${JSON.stringify({ name, version: '0.1.0', private: true }, null, 2)}\n`
const record = (kind: string): void =>
  write('.changeset/change.md', `---\n'@agent-run-service/sdk': ${kind}\n---\n\nX\n`)

write('package.json', manifest('agent-run-service'))
write('pnpm-workspace.yaml', 'packages:\n  - packages/*\n  - sdks/*\n')
write('packages/contract/package.json', manifest('@ars/contract'))
write('sdks/typescript/package.json', manifest('@agent-run-service/sdk'))
write('sdks/go/go.mod', 'module example.com/sdk\n')
cpSync(join(repository, '.changeset/config.json'), join(root, '.changeset/config.json'))
execFileSync('git', ['init', '-q', '-b', 'main'], { cwd: root })

test('a recorded change gives all packages and the root the next version', async () => {
  record('minor')
  expect(await bump(root)).toBe('0.2.0')
  for (const path of ['package.json', 'packages/contract/package.json', 'sdks/typescript/package.json']) {
    expect(JSON.parse(read(path)).version).toBe('0.2.0')
  }
})

test('a major version from 2 on demands another path of the Go module', async () => {
  record('major')
  expect(await bump(root)).toBe('1.0.0')
  record('major')
  await expect(bump(root)).rejects.toThrow('ends with /v2')
})

test('all packages have one version now', () => {
  const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'))
  const files = execFileSync('git', ['ls-files', '*package.json'], { cwd: repository, encoding: 'utf8' }).trim()
  for (const file of files.split('\n')) {
    const found = JSON.parse(readFileSync(join(repository, file), 'utf8'))
    if (found.version !== undefined) expect([file, found.version]).toEqual([file, version])
  }
})
