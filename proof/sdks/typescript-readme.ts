import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { run, type Service } from './sdk.ts'

/** The ten tasks that every SDK explains in this order, and the agent that each of them runs. */
const tasks: Readonly<Record<string, string>> = {
  'First run': 'test-echo',
  Stream: 'test-stream',
  Approve: 'test-approval',
  List: 'test-echo',
  Error: 'test-echo',
  Retry: 'test-echo',
  Webhook: 'test-echo',
  Cancel: 'test-slow',
  'Release a canary': 'test-echo',
  Batch: 'test-echo',
}

const beginning = "import { AgentRunService } from '@agent-run-service/sdk'\nconst client = new AgentRunService()\n"

/** The TypeScript of each section of a page. */
const sectionsOf = (page: string): { title: string; code: string }[] =>
  page
    .split(/^## /m)
    .slice(1)
    .map((section) => ({
      title: section.slice(0, section.indexOf('\n')),
      code: [...section.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, block = '']) => block).join('\n'),
    }))
    .filter(({ code }) => code !== '')

/** Compiles the tasks of the README and executes them against the service. */
export const runReadme = async (project: string, tools: string, service: Service): Promise<string> => {
  const sections = sectionsOf(readFileSync(join(repositoryDir, 'sdks/typescript/README.md'), 'utf8'))
  const titles = sections.map(({ title }) => title)
  if (titles.join() !== Object.keys(tasks).join()) throw new Error(`The README has other tasks: ${titles.join(', ')}`)
  const env = {
    ...process.env,
    ARS_API_KEY: service.apiKey,
    ARS_BASE_URL: service.baseUrl,
    NODE_EXTRA_CA_CERTS: service.caFile,
    DENO_CERT: service.caFile,
    WEBHOOK_SECRET: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  }
  const agents = await agentIds(project, env)
  const files = sections.map(({ title, code }, n) => {
    const file = `task-${n + 1}.mts`
    const text = code.includes('new AgentRunService') ? code : beginning + code
    writeFileSync(join(project, file), `${text.replaceAll('ag_…', agents[tasks[title] ?? ''] ?? '')}\nexport {}\n`)
    return file
  })
  const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2022', '--types', 'node']
  const compiling = [join(tools, 'typescript/bin/tsc'), ...options, '--typeRoots', join(tools, '@types'), ...files]
  await run({ program: process.execPath, args: compiling, cwd: project, env })
  const runtimes = [
    { program: process.execPath, args: [] },
    // Bun trusts only authorities, and the certificate of the test stack is not one.
    { program: join(tools, '.bin/bun'), args: ['run'], more: { NODE_TLS_REJECT_UNAUTHORIZED: '0' } },
    { program: join(tools, '.bin/deno'), args: ['run', '--allow-all', '--no-lock', '--quiet'] },
  ]
  for (const { program, args, more } of runtimes)
    for (const file of files) await run({ program, args: [...args, file], cwd: project, env: { ...env, ...more } })
  return `${files.length} tasks compile, and run on Node, Bun and Deno`
}

/** The test agents of the service, by name. */
const agentIds = async (project: string, env: NodeJS.ProcessEnv): Promise<Record<string, string>> => {
  const program = `${beginning}
const ids: Record<string, string> = {}
for await (const { name, id } of client.agents.list()) ids[name] = id
console.log(JSON.stringify(ids))
`
  writeFileSync(join(project, 'agents.mts'), program)
  return JSON.parse(await run({ program: process.execPath, args: ['agents.mts'], cwd: project, env }))
}
