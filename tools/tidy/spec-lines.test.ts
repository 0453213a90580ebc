import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { repositoryRoot } from './repository.ts'
import { findProofs, judge, numbersIn, parseSpecLines } from './spec-lines.ts'

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

  test('the page is a true copy of the one that it was copied from, where that is at hand', () => {
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

  test('a test of inner functions proves nothing', () => {
    const proofs = findProofs([
      { path: 'packages/core/src/runs/run.service.test.ts', text: "test('[S1] a', …)" },
      { path: 'apps/server/test/runs.test.ts', text: "test('[S2] b', …)" },
    ])

    expect([...proofs]).toEqual([['S2', ['apps/server/test/runs.test.ts']]])
  })

  test('a number that was proven once and is no longer is lost', () => {
    const verdict = judge(lines, new Map([['S2', ['a.test.ts']]]), ['S1'])

    expect(verdict).toMatchObject({
      lost: [lines[0]],
      unlisted: [lines[1]],
      missing: [lines[0], lines[2]],
      unknown: [],
    })
  })

  test('a number that the contract does not have is refused', () => {
    expect(judge(lines, new Map([['S99', ['a.test.ts']]]), []).unknown).toEqual(['S99'])
  })
})
