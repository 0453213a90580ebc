import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryRoot } from '@ars/tools/tidy/repository'
import { describe, expect, test } from 'vitest'
import { isOutsideGate, numbersIn } from '../lab/report/spec-tag.ts'
import { findProofs, findRecordedProofs, judge, parseSpecLines, recordedLines } from './spec-lines.ts'
import { findReportedProofs, readReport, type TestOutcome } from './spec-report.ts'

const lines = [
  { number: 'S1', statement: 'bodies are JSON' },
  { number: 'S2', statement: 'all requests are HTTPS' },
  { number: 'S3', statement: 'a request without authentication fails' },
]

describe('the contract, line by line', () => {
  test('the page has 84 statements, numbered without gaps', () => {
    const page = parseSpecLines(readFileSync(join(repositoryRoot, 'docs/spec-lines.md'), 'utf8'))

    expect(page.map(({ number }) => number)).toEqual(Array.from({ length: 84 }, (_, index) => `S${index + 1}`))
    expect(page[40]).toEqual({ number: 'S41', statement: 'every operation above needs authentication' })
  })

  test('the page equals its source, where the source is available', () => {
    const copy = join(repositoryRoot, 'docs/spec-lines.md')
    const original = join(repositoryRoot, '../shared/spec-lines.md')

    expect(readFileSync(copy, 'utf8')).toBe(readFileSync(existsSync(original) ? original : copy, 'utf8'))
  })

  test.for([
    ["test('[S41] a run can be cancelled', …)", ['S41']],
    ["test('[S1][S2] bodies', …)", ['S1', 'S2']],
    ['test("[S1, S7] bodies", …)', ['S1', 'S7']],
    ['test(`[S9-S12] the run object`, …)', ['S9', 'S10', 'S11', 'S12']],
    ["test.for(table)('[S81–S83] %s', …)", ['S81', 'S82', 'S83']],
    ["// see [S41]\ntest('a run can be cancelled', …)", []],
    ["test('a run can be cancelled, as [S41] says', …)", []],
  ] as const)('%s proves %s', ([name, numbers]) => {
    expect([...numbersIn(name)]).toEqual(numbers)
  })

  test('a test of internal functions proves nothing', () => {
    const proofs = findProofs([
      { path: 'packages/core/src/runs/run.service.test.ts', text: "test('[S1] a', …)" },
      { path: 'apps/server/test/runs.test.ts', text: "test('[S2] b', …)" },
    ])

    expect([...proofs]).toEqual([['S2', ['apps/server/test/runs.test.ts']]])
  })

  test('a line without a test is missing', () => {
    expect(judge(lines, new Map([['S2', ['a.test.ts']]]))).toEqual({
      proven: [lines[1]],
      missing: [lines[0], lines[2]],
      unknown: [],
    })
  })

  test('a number that the contract does not have is rejected', () => {
    expect(judge(lines, new Map([['S99', ['a.test.ts']]])).unknown).toEqual(['S99'])
  })
})

describe('the lines that only recorded proofs prove', () => {
  test('stand in a list, and count when the record of their proof names them', () => {
    const proven = findRecordedProofs((proof) => (proof === recordedLines.S48 ? ['S48', 'S1'] : []))

    expect([...proven.keys()]).toEqual(['S48'])
    expect(findRecordedProofs(() => []).size).toBe(0)
  })

  test.for([
    ['apps/cli/test/webhooks.slow.test.ts', true],
    ['apps/dashboard/e2e/webhooks.test.ts', true],
    ['apps/cli/test/webhooks.test.ts', false],
  ] as const)('the gate leaves out %s: %s', ([path, isLeftOut]) => {
    expect(isOutsideGate(path)).toBe(isLeftOut)
  })
})

describe('the lines that a test run proves', () => {
  const path = 'apps/server/test/a.test.ts'
  const ran = (name: string, status = 'passed'): TestOutcome => ({ path, names: ['a group', name], status })
  const proofsOf = (text: string, outcomes: readonly TestOutcome[]) => {
    const { proofs, faults } = findReportedProofs([{ path, text }], outcomes)
    return { proven: [...proofs.keys()], faults: Object.fromEntries(faults) }
  }

  test('are those of tests that ran and passed', () => {
    const text = "test('[S1][S2] bodies', …)"
    expect(proofsOf(text, [ran('[S1][S2] bodies'), ran('no line')])).toEqual({ proven: ['S1', 'S2'], faults: {} })
  })

  test.for(['failed', 'skipped', 'pending', 'todo'])('are not those of a test that %s', (status) => {
    const text = "test('[S1] a', …) test('[S1] b', …) test('[S2] c', …)"
    const outcomes = [ran('[S1] a'), ran('[S1] b', status), ran('[S2] c')]
    expect(proofsOf(text, outcomes)).toEqual({
      proven: ['S2'],
      faults: { S1: [`${path}: a group > [S1] b: ${status}`] },
    })
  })

  test('are not those of a test that is missing from the report, even when another of the line passed', () => {
    const text = "test('[S1] a', …) test('[S1][S2] it’s \\'b\\'', …)"
    const missing = "apps/server/test/a.test.ts: [S1][S2] it’s \\'b\\': did not run"
    expect(proofsOf(text, [ran('[S1] a')])).toEqual({ proven: [], faults: { S1: [missing], S2: [missing] } })
    // The same name in another file is another test.
    expect(proofsOf("test('[S1] a', …)", [{ ...ran('[S1] a'), path: 'apps/cli/test/b.test.ts' }]).proven).toEqual([])
  })

  test.for([
    ["test.each(rows)('[S1] an answer of %i leaves it %s', …)", '[S1] an answer of 200 leaves it succeeded'],
    ["test.each(rows)('[S1] $name without a key', …)", '[S1] runs.list without a key'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source of a test
    ['test(`[S1] the ${what.name} of it`, …)', '[S1] the end of it'],
    ["describe.each([['[S1] Free', 1]])('%s', …)", '[S1] Free'],
    ["describe.each([['[S1] Free', 1]])('%s: in full', …)", '[S1] Free: in full'],
    ["test('[S1] it\\'s (really) a.b', …)", "[S1] it's (really) a.b"],
  ])('are found for %s', ([text, name]) => {
    expect(proofsOf(text ?? '', [ran(name ?? '')])).toEqual({ proven: ['S1'], faults: {} })
  })

  test('are those of a group when all its tests passed', () => {
    const text = "describe('[S1] a group', …)"
    const inGroup = (status: string): TestOutcome => ({ path, names: ['[S1] a group', 'a test'], status })
    expect(proofsOf(text, [inGroup('passed'), inGroup('passed')]).proven).toEqual(['S1'])
    expect(proofsOf(text, [inGroup('passed'), inGroup('failed')]).proven).toEqual([])
  })

  test('are those of the matrix of access when a file beside it ran them', () => {
    const folder = 'apps/server/test/access-matrix'
    const matrix = { path: `${folder}/matrix.ts`, text: "test.each(rows)('[S1] $name with a key', …)" }
    const provenBy = (file: string): string[] => {
      const outcome = { path: file, names: ['[S1] runs.get with a key'], status: 'passed' }
      return [...findReportedProofs([matrix], [outcome]).proofs.keys()]
    }
    expect(provenBy(`${folder}/runs.test.ts`)).toEqual(['S1'])
    expect(provenBy(path)).toEqual([])
    expect([...findProofs([matrix])]).toEqual([['S1', [matrix.path]]])
  })

  test('are not those of internal functions', () => {
    const inner = 'packages/core/src/runs/run.test.ts'
    const { proofs } = findReportedProofs(
      [{ path: inner, text: "test('[S1] a', …)" }],
      [{ path: inner, names: ['[S1] a'], status: 'passed' }],
    )
    expect([...proofs]).toEqual([])
  })

  test('are read from the report of vitest, also for a file that failed before its first test', () => {
    const assertionResults = [{ ancestorTitles: ['a group'], title: '[S1] a', status: 'passed', fullName: 'x' }]
    const testResults = [
      { name: `/work/${path}`, status: 'passed', assertionResults },
      { name: '/work/apps/server/test/broken.test.ts', status: 'failed', assertionResults: [] },
    ]
    expect(readReport(JSON.stringify({ testResults }), '/work')).toEqual([ran('[S1] a')])
  })
})
