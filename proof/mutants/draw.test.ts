import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { seededRandom } from '../lab/random.ts'
import { draw, mutantsOf, planted } from './draw.ts'
import { equivalents, namedMutants } from './named.ts'
import reliability from './reliability.json' with { type: 'json' }

const store = `const claim = sql\`update run_heads set claim = :claim
  where org_id = :org and id = :id
    and epoch = :epoch::bigint and due_at <= app_now() order by due_at for update skip locked\``

test('conditions and locks of a statement are dropped, those of the organisation are not', () => {
  const mutants = mutantsOf('a.store.ts', store)
  expect(mutants.map(({ from, to }) => [from, to])).toEqual([
    ['and id = :id', 'and ((id = :id) or true)'],
    ['and epoch = :epoch::bigint', 'and ((epoch = :epoch::bigint) or true)'],
    ['and due_at <= app_now()', 'and ((due_at <= app_now()) or true)'],
    ['for update skip locked', ''],
  ])
})

test('bounds and halves of rules change, comments do not', () => {
  const text = '// a < b\nif (isOld && n <= max) return\n'
  expect(mutantsOf('rule.ts', text).map((mutant) => planted(text, mutant).split('\n')[1])).toEqual([
    'if (isOld && n < max) return',
    'if (n <= max) return',
  ])
  expect(mutantsOf('rule.test.ts', text)).toEqual([])
})

test('the same seed draws the same faults, at most one in a file', () => {
  const files = new Map(['a', 'b', 'c', 'd'].map((name) => [`${name}.store.ts`, store]))
  const drawn = draw(files, 3, seededRandom('7'))
  expect(drawn).toEqual(draw(files, 3, seededRandom('7')))
  expect(new Set(drawn.map(({ file }) => file)).size).toBe(3)
  expect(draw(files, 9, seededRandom('7'))).toHaveLength(4)
})

test('faults that change nothing are not drawn', () => {
  const files = new Map([['a.store.ts', store]])
  const from = store.slice(0, store.indexOf('for update'))
  const drawn = [1, 2, 3].flatMap((seed) =>
    draw(files, 9, seededRandom(String(seed)), [{ file: 'a.store.ts', at: 0, from }]),
  )
  expect(drawn.map((mutant) => mutant.from)).toEqual(Array(3).fill('for update skip locked'))
})

test('a mutant whose text is gone is an error', () => {
  const [mutant] = mutantsOf('a.store.ts', store)
  expect(() => mutant && planted('something else', mutant)).toThrow('not there')
})

test('every named fault stands in its file once', () => {
  const read = (file: string): string => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  const mutants = namedMutants(read)
  expect(mutants.length).toBeGreaterThan(15)
  for (const { name, file, at, from } of [...mutants, ...equivalents(read)])
    expect([name, at >= 0, read(file).split(from).length]).toEqual([name, true, 2])
  const labels = mutants.map(({ name }) => name.split(' ')[0])
  expect(labels.filter((label, n) => labels.indexOf(label) !== n)).toEqual([])
})

test('every named fault names fast tests that exist', () => {
  const root = join(import.meta.dirname, '../..')
  for (const { name, tests } of namedMutants((file) => readFileSync(join(root, file), 'utf8'))) {
    const isFast = (path: string): boolean => /(?<!\.slow)\.test\.ts$/.test(path) && existsSync(join(root, path))
    expect([name, tests.length > 0, tests.filter((path) => !isFast(path))]).toEqual([name, true, []])
  }
})

test('each of the 44 faults of the reliability test is found by a test that its row names, or has no effect', () => {
  const read = (file: string): string => readFileSync(join(import.meta.dirname, '../..', file), 'utf8')
  const testsOf = new Map(namedMutants(read).map(({ name, tests }) => [name, tests]))
  const harmless = new Set(equivalents(read).map(({ name }) => name))
  expect(new Set(reliability.map(({ fault }) => fault)).size).toBe(44)
  for (const { fault, verdict, by } of reliability)
    expect([
      fault,
      verdict === 'found' ? testsOf.get(fault)?.includes(by.split(' > ')[0] ?? '') : harmless.has(fault),
    ]).toEqual([fault, true])
})
