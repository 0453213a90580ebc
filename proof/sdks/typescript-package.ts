import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { run } from './sdk.ts'
import { npmInstall } from './typescript-tools.ts'

/** Packs the SDK as it would be published and returns the file. */
export const pack = async (into: string): Promise<string> => {
  mkdirSync(into, { recursive: true })
  const cwd = join(repositoryDir, 'sdks/typescript')
  await run({ program: 'pnpm', args: ['pack', '--pack-destination', into], cwd, env: process.env })
  const [file] = readdirSync(into).filter((name) => name.endsWith('.tgz'))
  if (!file) throw new Error('pnpm pack wrote no file')
  return join(into, file)
}

/** An empty project with nothing but the package. */
export const install = async (project: string, tarball: string): Promise<string> => {
  mkdirSync(project, { recursive: true })
  writeFileSync(join(project, 'package.json'), JSON.stringify({ name: 'customer', private: true }))
  await npmInstall(project, tarball)
  const installed = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'))
  if (installed.join() !== '@agent-run-service') throw new Error(`It brought along ${installed.join(', ')}`)
  return project
}

/** A program that uses the types as a customer does. The lines that must not compile are marked. */
const program = `
import { AgentRunService, ApiError, runStatuses, type Run, type RunFrame, type RunStatus } from '@agent-run-service/sdk'
import { runsCreateSchema } from '@agent-run-service/sdk/schemas'

const client = new AgentRunService({ apiKey: 'k', baseUrl: 'https://agents.example.com', logLevel: 'off' })
const words: Record<RunStatus, string> = Object.fromEntries(runStatuses.map((status) => [status, status])) as never
const textOf = (frame: RunFrame): string => (frame.type === 'run.output.delta' ? frame.delta : '')

export const use = async (): Promise<Run> => {
  const { data, requestId } = await client.runs.create({ agent_id: 'ag_1', input: {} }).withResponse()
  for await (const frame of client.runs.watch(data.id)) console.log(textOf(frame), requestId)
  for await (const run of client.runs.list({ status: ['failed', 'cancelled'] })) console.log(run.metadata)
  const agent = await client.agents.get('ag_1')
  await client.agents.version(agent.id, agent.version)
  const me = await client.auth.me()
  console.log(me.organisation.name, me.type === 'session' ? me.user.email : me.id)
  // @ts-expect-error a status that does not exist
  await client.runs.list({ status: 'faild' })
  // @ts-expect-error a field that does not exist
  await client.runs.create({ agent_id: 'ag_1', imput: {} })
  client.events.watch().onState((state) => console.log(state.state === 'waiting' ? state.until.toISOString() : ''))
  if (new Error() instanceof ApiError) console.log(words, runsCreateSchema)
  return client.runs.stream({ agent_id: 'ag_1', input: {} }).finalRun()
}
`

const both = ['program.mts', 'program.cts']

/** Every way to find modules with the present compiler, and one with the oldest that the types support. */
const ways = [
  { compiler: 'typescript', module: 'node16', moduleResolution: 'node16', files: both },
  { compiler: 'typescript', module: 'nodenext', moduleResolution: 'nodenext', files: both },
  { compiler: 'typescript', module: 'esnext', moduleResolution: 'bundler', files: ['program.mts'] },
  { compiler: 'typescript-old', module: 'nodenext', moduleResolution: 'nodenext', files: both },
]

/** Compiles the program in each way, as an ES module and as CommonJS. */
export const checkTypes = async (project: string, tools: string): Promise<string> => {
  for (const name of both) writeFileSync(join(project, name), program)
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const library = ['--target', 'es2022', '--lib', 'es2022,dom,dom.iterable', '--types', 'node']
  for (const { compiler, module, moduleResolution, files } of ways) {
    const how = ['--module', module, '--moduleResolution', moduleResolution, '--typeRoots', join(tools, '@types')]
    const args = [join(tools, compiler, 'bin/tsc'), ...options, ...library, ...how, ...files]
    await run({ program: process.execPath, args, cwd: project, env: process.env })
  }
  return `${ways.flatMap(({ files }) => files).length} programs compile`
}

/** The API reference, made from the comments of the source. A name that it cannot explain is an error. */
export const writeReference = async (scratch: string, tools: string): Promise<string> => {
  const sdk = join(repositoryDir, 'sdks/typescript')
  const out = join(scratch, 'reference')
  const entries = ['--entryPoints', join(sdk, 'src/index.ts'), '--entryPoints', join(sdk, 'src/generated/schemas.ts')]
  const options = ['--tsconfig', join(sdk, 'tsconfig.build.json'), '--readme', join(sdk, 'README.md'), '--out', out]
  const inner = ['--intentionallyNotExported', 'src/invocation.ts:Caller']
  const strict = ['--treatWarningsAsErrors', '--excludePrivate', '--skipErrorChecking', ...inner]
  await run({
    program: join(tools, '.bin/typedoc'),
    args: [...entries, ...options, ...strict],
    cwd: sdk,
    env: process.env,
  })
  return `${readdirSync(out, { recursive: true }).filter((name) => String(name).endsWith('.html')).length} pages`
}
