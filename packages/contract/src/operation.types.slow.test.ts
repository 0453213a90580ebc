import { execFile } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

// The compiler keeps these promises, so the test compiles sources that break them, and a valid one to show that the
// set-up works.

const head = `
import { z } from 'zod'
import { AgentId, DeploymentId, PolicyId, RunId } from '${import.meta.dirname}/ids.ts'
import { Answer, type Handlers, operation } from '${import.meta.dirname}/operation.ts'
const rest = { method: 'GET', path: '/things', summary: '', status: 200, names: 'nothing', input: z.object({}), output: z.object({ n: z.int() }) } as const
const things = { get: operation({ ...rest, scope: 'runs:read', errors: [] }), list: operation({ ...rest, scope: 'runs:read', errors: [] }) }
type Things = Handlers<typeof things, null>
const { names: _, ...unnamed } = rest
const named = { ...unnamed, scope: 'agents:read', errors: [], output: z.object({ n: z.int() }) } as const
const oneAgent = z.object({ id: AgentId })
const agents = {
  get: operation({ ...named, input: oneAgent, names: 'agent' }),
  list: operation({ ...named, input: z.object({ after: AgentId.optional() }), names: 'agents' }),
}
type Resolved = { agent: { n: number; readonly checked: true }; agents: { ids: string[]; readonly checked: true } }
type AgentHandlers = Handlers<typeof agents, null, Resolved>
const count = (agent: Resolved['agent']) => agent.n
const sum = (agents: Resolved['agents']) => agents.ids.length
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
  'sound-names':
    'export const api: AgentHandlers = { get: async (_ctx, _input, agent) => ({ n: count(agent) }), list: async (_ctx, _page, agents) => ({ n: sum(agents) }) }',
  'agent-without-name': 'export const it = operation({ ...named, input: oneAgent })',
  'run-without-name': 'export const it = operation({ ...named, input: z.object({ id: RunId }) })',
  'deployment-without-name': 'export const it = operation({ ...named, input: z.object({ id: DeploymentId }) })',
  'list-without-name': 'export const it = operation({ ...named, input: z.object({ agent_id: AgentId.optional() }) })',
  'without-names': `export const it = operation({ ...unnamed, scope: 'runs:read', errors: [] })`,
  'post-without-name': `export const it = operation({ ...named, method: 'POST', input: z.object({ agent_id: AgentId.optional(), ids: z.array(RunId).optional() }), names: 'nothing' })`,
  'nested-without-name': `export const it = operation({ ...named, method: 'PATCH', input: z.object({ steps: z.array(z.object({ agent_id: AgentId.nullable() })) }), names: 'nothing' })`,
  'organisation-without-name': `export const it = operation({ ...named, method: 'DELETE', input: z.object({ id: PolicyId }), names: 'agents' })`,
  'sound-by': `export const it = operation({ ...named, method: 'POST', input: z.object({ run_id: RunId.optional() }), names: 'run', by: 'run_id' })`,
  'wrong-by': `export const it = operation({ ...named, method: 'POST', input: z.object({ run_id: RunId.optional() }), names: 'agent', by: 'run_id' })`,
  'wrong-name': `export const it = operation({ ...named, input: oneAgent, names: 'agents' })`,
  'handler-with-id': `export const get: AgentHandlers['get'] = async (_ctx, { id }) => ({ n: id.length })`,
  'handler-that-forgets': `export const list: AgentHandlers['list'] = async () => ({ n: sum({ ids: ['all'] }) })`,
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

test('a valid operation and its handlers compile', () => {
  expect(complaintsAbout('sound')).toEqual([])
  expect(complaintsAbout('sound-names')).toEqual([])
  expect(complaintsAbout('sound-by')).toEqual([])
})

test.each([
  ['an operation without a scope', 'without-scope', /(TS2741|TS2345).*'scope' is missing/],
  ['an operation with a scope that no key can hold', 'with-unknown-scope', /TS2322.*"runs:everything"/],
  ['an operation with an error that the table lacks', 'with-unknown-error', /TS2322.*"oops"/],
  ['an operation with a status that no success has', 'with-unknown-status', /TS2322.*418/],
  ['a missing handler', 'missing-handler', /TS2741.*'list' is missing/],
  ['a handler of no operation', 'handler-of-nothing', /TS2353.*'put' does not exist/],
  ['an answer with a field of the wrong type', 'wrong-answer', /TS2322.*string/],
  ['an answer that lacks a field', 'lacking-answer', /TS2322/],
  [
    'an operation that takes the id of an agent and does not name it',
    'agent-without-name',
    /TS2345|TS2322|TS2741.*names/,
  ],
  ['an operation that takes the id of a run and does not name it', 'run-without-name', /TS2345|TS2322|TS2741.*names/],
  [
    'an operation that takes the id of a deployment and does not name it',
    'deployment-without-name',
    /TS2345|TS2322|TS2741.*names/,
  ],
  ['a list of things of agents that does not say so', 'list-without-name', /TS2345|TS2322|TS2741.*names/],
  ['an operation that does not say what it names', 'without-names', /TS2345|TS2322|TS2741.*names/],
  ['a handler that takes an id instead of the resolved agent', 'handler-with-id', /TS2339.*'id'/],
  ['a handler that lists without the agents of the caller', 'handler-that-forgets', /TS2345|TS2741.*checked/],
  ['the wrong answer beside another status', 'wrong-answer-with-status', /TS2322|TS2353/],
])('%s does not compile', (_, name, complaint) => {
  expect(complaintsAbout(name)).toEqual([expect.stringMatching(complaint)])
})

test.each([
  ['a list for the id of one agent', 'wrong-name'],
  ['nothing, by a POST with optional ids of agents and runs', 'post-without-name'],
  ['nothing, by a PATCH with ids of agents inside a list', 'nested-without-name'],
  ['some agents, by a DELETE of a policy', 'organisation-without-name'],
  ['an agent by the id of a run', 'wrong-by'],
])('an operation that names %s does not compile', (_, name) => {
  expect(complaintsAbout(name).join()).toContain('TS2322')
})

const complaintsAbout = (name: string): string[] => complaints.filter((line) => line.startsWith(`${name}.ts`))

/** The messages of the compiler, with details joined to their line. */
const compile = (at: string): Promise<string[]> =>
  new Promise((resolve) => {
    const tsc = join(repository, 'node_modules/.bin/tsc')
    execFile(tsc, ['-p', '.', '--noEmit', '--pretty', 'false'], { cwd: at }, (_, stdout, stderr) => {
      resolve(`${stdout}${stderr}`.replaceAll(/\n\s+/g, ' ').split('\n').filter(Boolean))
    })
  })
