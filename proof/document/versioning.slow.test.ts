import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { findBreaks } from '@ars/tools/gen/breaking'
import { checkBreaks } from '@ars/tools/gen/check'
import { documentPath } from '@ars/tools/gen/files'
import { afterAll, beforeAll, expect, test } from 'vitest'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

const git = async (...words: string[]): Promise<void> => {
  // Without the variables of a hook, which would lead git into the repository that is being tested.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))
  const who = ['-c', 'user.name=T', '-c', 'user.email=t@example.com', '-c', 'commit.gpgsign=false']
  await promisify(execFile)('git', ['-C', root, ...who, ...words], { env })
}

const published = read(documentPath)
let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'ars-versioning-'))
  await git('init', '--quiet')
  await mkdir(dirname(join(root, documentPath)), { recursive: true })
  await writeFile(join(root, documentPath), published)
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'What clients were written against')
})
afterAll(() => rm(root, { recursive: true, force: true }))

// Each is done to the contract as it is published, and must be refused by the check that `pnpm check` and CI run.
test.for<[what: string, kind: string, change: (text: string) => string]>([
  [
    'an operation that is gone',
    'operation-removed',
    (text) => text.replace('"/agents/{id}/versions": {', '"/agents/{id}/history": {'),
  ],
  [
    'a field that is gone from the answers',
    'output-removed',
    (text) => text.replaceAll('"latency_ms"', '"duration_ms"'),
  ],
  ['another base address', 'address-changed', (text) => text.replaceAll('https://{host}/v2', 'https://{host}/v3')],
  [
    'another scope',
    'scope-changed',
    (text) => text.replaceAll('"x-scope": "agents:read"', '"x-scope": "agents:write"'),
  ],
])('[S82] the check refuses %s', async ([, kind, change]) => {
  const changed = change(published)
  expect(changed).not.toBe(published)
  const { breaks } = await checkBreaks(root, { path: documentPath, after: changed, base: 'HEAD' })
  const found = findBreaks(JSON.parse(published), JSON.parse(changed)).filter((each) => each.kind === kind)
  expect(found.length).toBeGreaterThan(0)
  expect(breaks).toContain(found[0]?.sentence)
})

test('[S82] the check passes a document that changes nothing', async () => {
  const { breaks, compared } = await checkBreaks(root, { path: documentPath, after: published, base: 'HEAD' })
  expect([breaks, compared]).toEqual([[], `${documentPath} was compared with the one at HEAD: no breaking changes.`])
})
