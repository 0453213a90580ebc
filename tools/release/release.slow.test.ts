import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { checksumsOf } from './checksums.ts'
import { buildGoModule, goModulePath } from './go-module.ts'
import { zipOf } from './zip.ts'

const root = join(import.meta.dirname, '../..')
const out = mkdtempSync(join(tmpdir(), 'ars-release-test-'))
afterAll(() => rmSync(out, { recursive: true, force: true }))

test('a zip archive holds its files and is the same for the same files', () => {
  const entries = [
    { name: 'b/ü.txt', content: Buffer.from('two') },
    { name: 'a.txt', content: Buffer.alloc(100_000, 'x') },
    { name: 'empty', content: Buffer.alloc(0) },
  ]
  const file = join(out, 'test.zip')
  writeFileSync(file, zipOf(entries))
  const program = `import sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print([(each, len(archive.read(each))) for each in archive.namelist()])`
  const printed = execFileSync('python3', ['-c', program, file], { encoding: 'utf8' })
  expect(printed.trim()).toBe("[('a.txt', 100000), ('b/ü.txt', 3), ('empty', 0)]")
  expect(zipOf(entries.toReversed())).toEqual(readFileSync(file))
})

test('the Go module is laid out as a proxy serves it, and its path has the major version', async () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const [artefact] = await buildGoModule(root, out, version)
  const path = goModulePath(join(root, 'sdks/go'))
  expect(artefact).toMatchObject({ name: path, version: `v${version}`, purl: `pkg:golang/${path}@v${version}` })
  expect(readFileSync(join(out, 'go', path, '@v/list'), 'utf8')).toBe(`v${version}\n`)
  await expect(buildGoModule(root, out, '3.0.0')).rejects.toThrow('must end with /v3')
})

test('sha256sum accepts the checksums', () => {
  mkdirSync(join(out, 'npm'))
  writeFileSync(join(out, 'npm/a.tgz'), 'a')
  const sums = checksumsOf(out)
  expect(sums).toContain('ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb  npm/a.tgz\n')
  expect(execFileSync('sha256sum', ['--check', '--quiet'], { cwd: out, input: sums, encoding: 'utf8' })).toBe('')
})
