import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { type Handlers, operation } from './operation.ts'

// These promises are kept by the compiler, so the compiler is asked: on planted sources that break them, and on one
// that does not, which shows that the others fail for their own fault and not for a broken set-up.

const head = `
import { z } from 'zod'
import { Answer, type Handlers, operation } from '${import.meta.dirname}/operation.ts'
const rest = { method: 'GET', path: '/things', summary: '', status: 200, input: z.object({}), output: z.object({ n: z.int() }) } as const
const things = { get: operation({ ...rest, scope: 'runs:read', errors: [] }), list: operation({ ...rest, scope: 'runs:read', errors: [] }) }
type Things = Handlers<typeof things, null>
`

const planted = {
  sound:
    'export const api: Things = { get: async () => ({ n: 1 }), list: async () => new Answer({ n: 1 }, { status: 202 }) }',
  'without-scope': 'export const it = operation({ ...rest, errors: [] })',
  'with-unknown-scope': `export const it = operation({ ...rest, scope: 'runs:everything', errors: [] })`,
  'with-unknown-error': `export const it = operation({ ...rest, scope: 'runs:read', errors: ['oops'] })`,
  'with-unknown-status': `export const it = operation({ ...rest, scope: 'runs:read', errors: [], status: 418 })`,
  'missing-handler': 'export const api: Things = { get: async () => ({ n: 1 }) }',
  'handler-of-nothing':
    'export const api: Things = { get: async () => ({ n: 1 }), list: async () => ({ n: 1 }), put: async () => ({}) }',
  'wrong-answer': `export const api: Things = { get: async () => ({ n: 'one' }), list: async () => ({ n: 1 }) }`,
  'lacking-answer': 'export const api: Things = { get: async () => ({}), list: async () => ({ n: 1 }) }',
  'wrong-answer-with-status':
    'export const api: Things = { get: async () => new Answer({ m: 1 }, {}), list: async () => ({ n: 1 }) }',
}

const repository = join(import.meta.dirname, '../../..')
let folder = ''
let complaints: string[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ars-types-'))
  await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'package.json'), JSON.stringify({ type: 'module' }))
  const compilerOptions = { types: [] }
  await writeFile(
    join(folder, 'tsconfig.json'),
    JSON.stringify({ extends: join(repository, 'tsconfig.json'), compilerOptions, include: ['*.ts'] }),
  )
  for (const [name, code] of Object.entries(planted)) await writeFile(join(folder, `${name}.ts`), `${head}${code}\n`)
  complaints = await compile(folder)
})

afterAll(() => rm(folder, { recursive: true, force: true }))

test('a sound operation and its handlers compile', () => {
  expect(complaintsAbout('sound')).toEqual([])
})

test.each([
  ['an operation without a scope', 'without-scope', /TS2741.*'scope' is missing/],
  ['an operation with a scope that no key can hold', 'with-unknown-scope', /TS2322.*"runs:everything"/],
  ['an operation with an error that the table lacks', 'with-unknown-error', /TS2322.*"oops"/],
  ['an operation with a status that no success has', 'with-unknown-status', /TS2322.*418/],
  ['a missing handler', 'missing-handler', /TS2741.*'list' is missing/],
  ['a handler of no operation', 'handler-of-nothing', /TS2353.*'put' does not exist/],
  ['an answer with a field of the wrong type', 'wrong-answer', /TS2322.*string/],
  ['an answer that lacks a field', 'lacking-answer', /TS2322/],
  ['the wrong answer beside another status', 'wrong-answer-with-status', /TS2322|TS2353/],
])('%s does not compile', (_, name, complaint) => {
  expect(complaintsAbout(name)).toEqual([expect.stringMatching(complaint)])
})

test('the same mistakes are marked here, for the type check of the whole tree', () => {
  const rest = { method: 'GET', path: '/things', summary: '', status: 200, input: z.object({}), errors: [] } as const
  const get = operation({ ...rest, scope: 'runs:read', output: z.object({ n: z.int() }) })
  // @ts-expect-error An operation without a scope does not compile.
  const open = operation({ ...rest, output: z.object({}) })
  // @ts-expect-error A missing handler does not compile.
  const missing: Handlers<{ get: typeof get }, null> = {}
  // @ts-expect-error The wrong shape of an answer does not compile.
  const wrong: Handlers<{ get: typeof get }, null> = { get: () => Promise.resolve({ n: 'one' }) }
  expect([open, missing, wrong]).toHaveLength(3)
})

const complaintsAbout = (name: string): string[] => complaints.filter((line) => line.startsWith(`${name}.ts`))

/** The compiler's lines, details folded into the line that they belong to. */
const compile = (at: string): Promise<string[]> =>
  new Promise((resolve) => {
    const tsc = join(repository, 'node_modules/.bin/tsc')
    execFile(tsc, ['-p', '.', '--noEmit', '--pretty', 'false'], { cwd: at }, (_, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.replaceAll(/\n\s+/g, ' ').split('\n').filter(Boolean))
    })
  })
