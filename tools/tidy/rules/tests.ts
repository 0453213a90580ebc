import { apart } from '../../gate/apart.ts'
import type { SourceFile } from '../repository.ts'
import { type Finding, forbid, lineAt, type Rule, withoutComments } from '../rule.ts'

const testFiles = /\.test\.tsx?$/

/** Tests that are not slow, and the files that they share. Pages of the dashboard are played with a browser, outside of the gate. */
const fastFiles = /\.test\.tsx?$|\.fixture\.tsx?$|^(packages|apps|sdks)\/.*\/test\/|^packages\/testkit\/src\//
const slowFiles = /\.slow(\.test)?\.ts$|^packages\/testkit\/src\/slow\/|^apps\/dashboard\/e2e\/|\.setup\.ts$/

export const testRules: readonly Rule[] = [
  {
    name: 'every test runs',
    why: 'A skipped or focused test suite reports success for code that was not tested.',
    check: forbid(/\b(test|it|describe|suite)\.(only|skip|todo|fails)\b|\b(xit|xtest|xdescribe|fit|fdescribe)\(/, {
      within: testFiles,
      read: withoutComments,
    }),
    bad: [
      { 'packages/core/src/runs/run.test.ts': "test.only('a run ends', () => {})" },
      { 'packages/core/src/runs/run.test.ts': "describe.skip('runs', () => {})" },
      { 'packages/core/src/runs/run.test.ts': "test.todo('a run ends')" },
    ],
    good: [
      { 'packages/core/src/runs/run.test.ts': "// test.only is for the desk\ntest('a run ends', () => {})" },
      { 'tools/dev/postgres.test.ts': "test.runIf(isRoot)('root may not start it', () => {})" },
    ],
  },
  {
    name: 'every test expects something',
    why: 'A test without an expectation passes unless something throws, which proves little.',
    check: (files) => files.filter(({ path }) => testFiles.test(path)).flatMap(testsWithoutExpectation),
    bad: [
      { 'packages/core/src/runs/run.test.ts': "test('a run ends', async () => {\n  await run()\n})" },
      {
        'packages/core/src/runs/run.test.ts':
          "test('a', () => { expect(1).toBe(1) })\ntest.for(['(', ')'])('b %s', () => { run(')') })",
      },
    ],
    good: [
      {
        'packages/core/src/runs/run.test.ts': "test('a run ends (well)', () => {\n  expect(run()).toBe('ended :)')\n})",
      },
      { 'packages/core/src/runs/run.test.ts': "test('a', () => expectRefused(run()))\nconst latest = /a/.test(b)" },
      { 'packages/core/src/runs/run.test.ts': "test('ids sort', () => { fc.assert(fc.property(id, sorts)) })" },
    ],
  },
  {
    name: 'our own code is not mocked',
    why: 'Only the outside is faked (clock, model, receiver): a test against a mock of our own code proves the mock.',
    check: forbid(/\bvi\.(mock|doMock)\(/, { within: testFiles, read: withoutComments }),
    bad: [{ 'packages/core/src/runs/run.service.test.ts': "vi.mock('./run.store.ts')" }],
    good: [{ 'packages/core/src/runs/run.service.test.ts': "import { fakeClock } from '@ars/testkit/clock'" }],
  },
  {
    name: 'a fast test starts no process, stops no part and measures no time',
    why: 'A test that depends on elapsed time fails on a busy machine without a defect. It is a *.slow.test.ts, and what it shares is a *.slow.ts.',
    check: (files) => [
      ...forbid(
        /(?<=^(?:import|export|\})[^\n]*\sfrom\s|\bimport\()'(node:child_process|node:timers\/promises|node:perf_hooks|@ars\/testkit\/slow\/[\w-]+|\.[\w./-]*\/slow\/[\w-]+\.ts|\.[\w./-]*\.slow\.ts)'/m,
        { within: fastFiles, except: slowFiles, read: withoutComments },
      )(files),
      ...forbid(/(?<![.\w'])(performance\.\w+|process\.(cpuUsage|memoryUsage|resourceUsage|hrtime)\b)/, {
        within: fastFiles,
        except: slowFiles,
        read: withoutComments,
      })(files),
    ],
    bad: [
      { 'packages/core/src/runs/run.test.ts': "import { execFile } from 'node:child_process'" },
      { 'packages/core/src/runs/run.test.ts': "import { setTimeout as sleep } from 'node:timers/promises'" },
      { 'packages/core/src/runs/run.test.ts': "import { performance } from 'node:perf_hooks'" },
      { 'packages/core/src/runs/run.test.ts': "import { openLink } from '@ars/testkit/slow/link'" },
      { 'apps/server/test/pages.test.ts': "import { arsServer } from './ars-server.slow.ts'" },
      { 'apps/server/test/pages.test.ts': "const { arsServer } = await import('./ars-server.slow.ts')" },
      { 'apps/server/test/app.ts': "import { runProgram } from '@ars/testkit/slow/program'" },
      { 'packages/testkit/src/client.ts': "import { openLink } from './slow/link.ts'" },
      { 'packages/core/src/runs/run.test.ts': "import {\n  a,\n} from './b.slow.ts'" },
      { 'packages/core/src/runs/run.test.ts': 'const began = performance.now()' },
      { 'packages/core/src/runs/run.test.ts': 'const before = process.cpuUsage()' },
    ],
    good: [
      { 'packages/core/src/runs/run.slow.test.ts': "import { openLink } from '@ars/testkit/slow/link'" },
      { 'apps/server/test/ars-server.slow.ts': "import { runProgram } from '@ars/testkit/slow/program'" },
      { 'packages/core/src/runs/run.test.ts': '// Not performance.now(): see above.\nconst at = clock.monotonicMs()' },
      { 'packages/core/src/runs/run.service.ts': "import { spawn } from 'node:child_process'" },
      { 'packages/core/src/runs/run.test.ts': 'const text = "import { a } from \'node:child_process\'"' },
      { 'tools/gate/main.ts': "import { spawn } from 'node:child_process'" },
    ],
  },
  {
    name: 'a fast test waits for a connection of the database',
    why: 'A process asks for a connection for half a second and then answers 503. On a busy computer a new connection takes longer, without a defect.',
    check: (files) =>
      forbid(/\bopenDatabase\(\{(?!(?:(?!openDatabase)[\s\S]){0,220}acquireTimeoutMs)/, {
        within: fastFiles,
        except: slowFiles,
        read: withoutComments,
      })(files),
    bad: [
      { 'packages/core/src/runs/run.test.ts': "openDatabase({ url, name: 'test', size: 1, log })" },
      { 'packages/core/test/world.ts': "openDatabase({\n  url,\n  name: 'test',\n  size: 1,\n})" },
    ],
    good: [
      {
        'packages/core/src/runs/run.test.ts':
          "openDatabase({ url, name: 'test', size: 1, acquireTimeoutMs: 30_000, log })",
      },
      { 'packages/core/src/runs/run.slow.test.ts': "openDatabase({ url, name: 'test', size: 1, log })" },
    ],
  },
  {
    name: 'a fast test that replaces timers has a process for itself',
    why: 'The files of a worker share one process with the app and its timers. A test that replaces them stops the app, and counts its timers.',
    check: (files) =>
      forbid(/\bvi\.(useFakeTimers|setSystemTime)\(/, { within: fastFiles, except: slowFiles, read: withoutComments })(
        // The browser loads each file of component tests in a separate page.
        files.filter(({ path }) => path.endsWith('.ts') && !apart.includes(path)),
      ),
    bad: [{ 'packages/core/src/runs/run.test.ts': 'beforeEach(() => vi.useFakeTimers())' }],
    good: [
      { 'packages/platform/src/work/loop.test.ts': 'beforeEach(() => vi.useFakeTimers())' },
      { 'packages/platform/src/periodic.slow.test.ts': 'vi.useFakeTimers()' },
    ],
  },
]

const testsWithoutExpectation = (file: SourceFile): Finding[] => {
  const code = withoutStrings(withoutComments(file))
  return [...code.matchAll(/(?<![.\w$])(?:test|it)(?:\.\w+)*\(/g)].flatMap((match) => {
    const body = callFrom(code, match.index)
    return /\b(expect|assert)/.test(body)
      ? []
      : [{ path: file.path, line: lineAt(code, match.index), says: 'expects nothing' }]
  })
}

/** All of a call that may be curried, as in `test.for(table)('name', body)`: up to the last bracket that closes it. */
const callFrom = (code: string, start: number): string => {
  let depth = 0
  for (let at = code.indexOf('(', start); at < code.length; at++) {
    if (code[at] === '(') depth++
    if (code[at] === ')') depth--
    if (depth === 0 && code[at + 1] !== '(') return code.slice(start, at + 1)
  }
  return code.slice(start)
}

/** Brackets inside quotes are not brackets. A string in a string template is left as it is: its brackets are in pairs. */
const withoutStrings = (code: string): string =>
  code.replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g, (text) => `'${' '.repeat(text.length - 2)}'`)
