import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { writeFiles } from './check.ts'
import { documentPath, generatedFiles } from './files.ts'
import { findLanded } from './landed.ts'

// `pnpm gen --check` as it is called, on a copy of the generated files that a test may spoil.

// Without the variables of a hook, which would lead git into the repository that is being tested.
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_')))

let root = ''
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'ars-gen-'))
  await writeFiles(root, generatedFiles())
})
afterEach(() => rm(root, { recursive: true, force: true }))

const gen = async (...words: string[]): Promise<{ code: number; said: string }> => {
  const main = join(import.meta.dirname, 'main.ts')
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [main, '--root', root, ...words], { env })
    return { code: 0, said: stdout + stderr }
  } catch (error) {
    const { code, stdout, stderr } = error as { code: number; stdout: string; stderr: string }
    return { code, said: stdout + stderr }
  }
}

const git = async (...words: string[]): Promise<string> => {
  const who = [
    '-c',
    'user.name=T',
    '-c',
    'user.email=t@example.com',
    '-c',
    'init.defaultBranch=main',
    '-c',
    'commit.gpgsign=false',
  ]
  const { stdout } = await promisify(execFile)('git', ['-C', root, ...who, ...words], { env })
  return stdout.trim()
}
const commit = async (): Promise<string> => {
  await git('add', '--all')
  await git('commit', '--quiet', '--message', 'A change')
  return git('rev-parse', 'HEAD')
}
const spoil = async (path: string, from: string, to: string): Promise<void> => {
  const text = await readFile(join(root, path), 'utf8')
  expect(text).toContain(from)
  await writeFile(join(root, path), text.replace(from, to))
}

test('fresh files pass, and where no earlier document is known it says so', async () => {
  const { code, said } = await gen('--check')
  expect(said).toContain(`No breaking changes were looked for: git knows no earlier ${documentPath}.`)
  expect(said).toContain(`${Object.keys(generatedFiles()).length} generated files are up to date.`)
  expect(code).toBe(0)
})

test.each([
  [documentPath, '"runs:write"', '"runs:all"', '"x-scope": "runs:all"'],
  ['docs/reference/errors.md', 'Status 404.', 'Status 410.', 'Status 410.'],
  ['docs/reference/api.md', 'Invoke an agent', 'Call an agent', 'Call an agent'],
  ['docs/reference/configuration.md', '`8443`', '`443`', '`443`'],
  ['sdks/typescript/src/generated/resources.ts', "path: '/runs'", "path: '/jobs'", "path: '/jobs'"],
])('a stale %s fails the check, which names it, shows the line and says what to do', async (path, from, to, shown) => {
  await spoil(path, from, to)
  const { code, said } = await gen('--check')
  expect(said).toContain(`${path} is not what its sources say. Run \`pnpm gen\` and commit the result.`)
  expect(said).toContain(shown)
  expect(code).toBe(1)
})

test('a missing file fails the check, and writing brings it back', async () => {
  await rm(join(root, 'docs/reference/errors.md'))
  expect(await gen('--check')).toMatchObject({
    code: 1,
    said: expect.stringContaining('docs/reference/errors.md is missing.'),
  })
  expect(await gen()).toMatchObject({ code: 0, said: 'Wrote docs/reference/errors.md.\n' })
  expect(await gen()).toMatchObject({ code: 0, said: 'All generated files were up to date.\n' })
  expect(await gen('--check')).toMatchObject({ code: 0 })
})

test('a document that breaks clients of the landed one fails the check, in sentences', async () => {
  const now = await readFile(join(root, documentPath), 'utf8')
  await git('init', '--quiet')
  // What landed had an operation more, and let the page size go up to 500.
  const landed = JSON.parse(now.replace('"maximum": 100', '"maximum": 500'))
  landed.paths['/runs/{id}'].patch = { operationId: 'runs.rename', responses: {} }
  await writeFile(join(root, documentPath), JSON.stringify(landed))
  const ref = await commit()
  await writeFile(join(root, documentPath), now)
  await commit()
  const { code, said } = await gen('--check')
  expect(said).toContain('Breaking: runs.rename (PATCH /runs/{id}) is gone.')
  expect(said).toContain(
    'Breaking: runs.list (GET /runs), query parameter `limit`: it had maximum 500 and has now 100.',
  )
  expect(said).toContain('2 breaking changes.')
  expect(code).toBe(1)
  expect(await gen('--check', '--base', ref)).toMatchObject({ code: 1 })
  expect(await gen('--check', '--base', 'HEAD')).toMatchObject({
    code: 0,
    said: expect.stringContaining('at HEAD: no breaking changes'),
  })
  expect(await gen('--check', '--base', 'nonsense')).toMatchObject({
    code: 1,
    said: expect.stringContaining('git knows no commit nonsense'),
  })
})

test('a new major version may break', async () => {
  await spoil(documentPath, '"version": "2.', '"version": "1.')
  await spoil(documentPath, '"x-scope": "runs:write"', '"x-scope": "runs:other"')
  await git('init', '--quiet')
  await commit()
  await gen()
  expect(await gen('--check')).toMatchObject({ code: 0, said: expect.stringContaining('version 2 is a new contract') })
})

test('what has landed is found on a branch, on main, and while editing', async () => {
  const textOf = async () => {
    const landed = await findLanded(root, 'file')
    return landed.ref === undefined ? landed.reason : landed.text
  }
  await git('init', '--quiet')
  expect(await textOf()).toBe('git knows no earlier file')
  await commit()
  expect(await textOf()).toBe('git knows no earlier file')
  await writeFile(join(root, 'file'), 'zero')
  expect(await textOf()).toMatch(/^file did not exist at [0-9a-f]{40}$/)
  await writeFile(join(root, 'file'), 'one')
  await commit()
  expect(await textOf()).toMatch(/^file did not exist at [0-9a-f]{40}$/)
  await writeFile(join(root, 'file'), 'two')
  expect(await textOf()).toBe('one')
  const two = await commit()
  // Committed on main: compared with what the commit replaced, also when other commits follow.
  expect(await textOf()).toBe('one')
  await writeFile(join(root, 'other'), '')
  await commit()
  expect(await textOf()).toBe('one')
  // On a branch: what main held where the branch began, whatever main gained since.
  await git('checkout', '--quiet', '-b', 'landing', two)
  await writeFile(join(root, 'file'), 'three, landed later')
  const three = await commit()
  await git('checkout', '--quiet', 'main')
  await git('update-ref', 'refs/remotes/origin/main', three)
  await writeFile(join(root, 'file'), 'three, on the branch')
  await commit()
  expect(await textOf()).toBe('two')
})
