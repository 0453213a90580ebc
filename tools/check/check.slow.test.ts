import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type CheckOptions, runSteps } from './run-steps.ts'
import { keyOf, readSnapshot } from './snapshot.ts'
import type { Step } from './steps.ts'

const parent = () => mkdtempSync(join(tmpdir(), 'ars-check-'))
let outside = ''
let root = ''

const write = (path: string, text: string) => {
  mkdirSync(dirname(join(root, path)), { recursive: true })
  writeFileSync(join(root, path), text)
}

/** Counts its runs outside the tree, and fails while `src/a.ts` says `bad`. */
const script = `
  const { appendFileSync, readFileSync } = require('node:fs')
  appendFileSync('../runs', 'x')
  process.exit(readFileSync('src/a.ts', 'utf8') === 'bad' ? 1 : 0)`
const step: Step = {
  name: 'judge',
  command: [process.execPath, '-e', script],
  reads: (path) => path.startsWith('src/'),
}
const runs = () => (existsSync(join(outside, 'runs')) ? readFileSync(join(outside, 'runs'), 'utf8').length : 0)
const check = (steps: readonly Step[] = [step], options: Partial<CheckOptions> = {}) =>
  runSteps(steps, { root, say: () => undefined, ...options })

beforeEach(() => {
  outside = parent()
  root = join(outside, 'tree')
  write('src/a.ts', 'good')
  write('docs/page.md', 'a page')
  write('biome.json', '{}')
  write('node_modules/.pnpm/lock.yaml', 'one')
})
afterEach(() => rmSync(outside, { recursive: true, force: true }))

describe('a step that passed', () => {
  test('does not run again on the same tree, and says so', async () => {
    const said: string[] = []
    await check()
    expect(await check([step], { say: (line) => said.push(line) })).toEqual([])
    expect(runs()).toBe(1)
    expect(said).toEqual(['same  judge'])
  })

  test.each([
    ['a file that it reads changes', 'src/a.ts', 'better'],
    ['a file that it reads is new', 'src/b.ts', 'new'],
    ['a configuration file changes', 'biome.json', '{ }'],
    ['another version of a package is installed', 'node_modules/.pnpm/lock.yaml', 'two'],
    ['the code of our tools changes', 'tools/tidy/rules.ts', 'stricter'],
    ['a dependency of a package changes', 'packages/core/package.json', '{}'],
  ])('runs again when %s', async (_, path, text) => {
    await check()
    write(path, text)
    await check()
    expect(runs()).toBe(2)
  })

  test('runs again when a file that it read is gone', async () => {
    write('src/b.ts', 'here')
    await check()
    rmSync(join(root, 'src/b.ts'))
    await check()
    expect(runs()).toBe(2)
  })

  test('does not run again for a file that it does not read', async () => {
    await check()
    write('docs/page.md', 'another page')
    await check()
    expect(runs()).toBe(1)
  })

  test('runs again with --all', async () => {
    await check()
    await check([step], { isAll: true })
    expect(runs()).toBe(2)
  })

  test('has another key with another command', () => {
    const snapshot = readSnapshot(root)
    expect(keyOf(step, snapshot)).toBe(keyOf({ ...step }, snapshot))
    expect(keyOf(step, snapshot)).not.toBe(keyOf({ ...step, command: [...step.command, '--strict'] }, snapshot))
  })

  test('runs again when the list of passed steps is damaged', async () => {
    await check()
    write('.cache/check/passed.json', '{"judge":')
    await check()
    expect(runs()).toBe(2)
  })
})

test('a step that failed runs again on the same tree and fails again', async () => {
  write('src/a.ts', 'bad')
  expect(await check()).toHaveLength(1)
  expect(await check()).toHaveLength(1)
  expect(runs()).toBe(2)
})

test('a step is not written down when a file changed while it ran', async () => {
  const edits: Step = {
    ...step,
    command: [
      process.execPath,
      '-e',
      `${script.replace('process.exit', 'void ')}
    require('node:fs').writeFileSync('src/b.ts', String(Math.random()))`,
    ],
  }
  await check([edits])
  await check([edits])
  expect(runs()).toBe(2)
})

test('--changed runs only the steps that read a changed file, and gives single files to a tool that takes them', async () => {
  const git = (...words: string[]) =>
    execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...words])
  git('init', '-q', '-b', 'main')
  git('add', '.')
  git('commit', '-q', '-m', 'first')
  await check([step], { isChanged: true })
  expect(runs()).toBe(0)
  write('src/new.ts', 'new')
  await check([step], { isChanged: true })
  expect(runs()).toBe(1)
  const onFiles: Step = {
    ...step,
    takesFiles: true,
    command: [process.execPath, '-e', "process.exit(process.argv.includes('src/new.ts') ? 0 : 1)", '--'],
  }
  expect(await check([onFiles], { isChanged: true })).toEqual([])
})

test('a step that takes files judges those alone that changed since it passed', async () => {
  write('src/b.ts', 'here')
  write('src/c.ts', 'here')
  const judged = (): string[] => readFileSync(join(outside, 'judged'), 'utf8').trim().split('\n')
  const onFiles: Step = {
    ...step,
    takesFiles: true,
    command: [
      process.execPath,
      '-e',
      `require('node:fs').appendFileSync('../judged', (process.argv.slice(1).join(' ') || 'all') + '\\n')
       process.exit(require('node:fs').readFileSync('src/b.ts', 'utf8') === 'bad' ? 1 : 0)`,
      '--',
    ],
  }
  await check([onFiles])
  write('src/a.ts', 'better')
  await check([onFiles])
  // A file that failed is judged again beside the next one, and a configuration concerns all of them.
  write('src/b.ts', 'bad')
  await check([onFiles])
  write('src/a.ts', 'best')
  await check([onFiles])
  write('src/b.ts', 'fine')
  await check([onFiles])
  write('biome.json', '{ }')
  await check([onFiles])
  const judgedAlone = (...files: string[]): string => ['--no-errors-on-unmatched', ...files].join(' ')
  expect(judged()).toEqual([
    'all',
    judgedAlone('src/a.ts'),
    judgedAlone('src/b.ts'),
    judgedAlone('src/a.ts', 'src/b.ts'),
    judgedAlone('src/a.ts', 'src/b.ts'),
    'all',
  ])
})

test('a step that reads imports runs again when an import changes, and not for other code', async () => {
  const ofImports: Step = { ...step, readsImports: true }
  write('src/a.ts', "import { a } from './b.ts'\nexport const c = a")
  await check([ofImports])
  write('src/a.ts', "import { a } from './b.ts'\nexport const c = a + 1")
  await check([ofImports])
  expect(runs()).toBe(1)
  write('src/a.ts', "import { a } from './d.ts'\nexport const c = a + 1")
  await check([ofImports])
  expect(runs()).toBe(2)
})
