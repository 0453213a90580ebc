import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryDir } from '@ars/tools/dev/server'
import { clientModel } from '@ars/tools/gen/client-model'
import { type Language, requestRenderer } from '@ars/tools/gen/requests/index'
import { pageProgram } from '@ars/tools/gen/requests/programs'
import { lastLine, run, type Sdk, type Service } from './sdk.ts'

/** Pages whose programs need nothing but the service. */
const executed = new Set(
  'actions agents batches budgets catalog first-run idempotency keys releases runs schedules streaming test-agents usage-and-analytics webhooks'.split(
    ' ',
  ),
)

type Program = { readonly page: string; readonly text: string }

/** The requests of each guide and tutorial as a program, as the documentation site shows them. */
const programs = (language: Language): Program[] => {
  const render = requestRenderer(clientModel())
  return globSync('docs/{guides,tutorials}/*.md', { cwd: repositoryDir })
    .sort()
    .flatMap((file) => {
      const blocks = render(readFileSync(join(repositoryDir, file), 'utf8'))
      const isProgram = blocks.some((block) => 'texts' in block && !block.isSetup)
      return isProgram ? [{ page: basename(file, '.md'), text: pageProgram(blocks, language) }] : []
    })
}

const isExecuted = ({ page }: Program): boolean => executed.has(page)

/** Nothing is delivered to it: the programs only register it. */
const receiver = { RECEIVER_URL: 'https://127.0.0.1:8455/hook' }

const compiles = (count: number): string => `the programs of ${count} pages compile`

const runEach = async (language: Language, work: (page: string) => Promise<unknown>): Promise<string> => {
  const pages = programs(language).filter(isExecuted)
  if (pages.length !== executed.size)
    throw new Error(`${executed.size} pages are executed, ${pages.length} have programs`)
  for (const { page } of pages) await work(page)
  return `the programs of ${pages.length} pages end well`
}

export const checkTypescriptGuides = async (project: string, tools: string): Promise<string> => {
  const all = programs('typescript')
  const files = all.map(({ page, text }) => {
    writeFileSync(join(project, `guide-${page}.mts`), text)
    return `guide-${page}.mts`
  })
  const options = ['--noEmit', '--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const modules = [
    '--module',
    'nodenext',
    '--target',
    'es2022',
    '--types',
    'node',
    '--typeRoots',
    join(tools, '@types'),
  ]
  const args = [join(tools, 'typescript/bin/tsc'), ...options, ...modules, ...files]
  await run({ program: process.execPath, args, cwd: project, env: process.env })
  return compiles(all.length)
}

export const runTypescriptGuides = (project: string, service: Service): Promise<string> => {
  const env = {
    ...process.env,
    ...receiver,
    ARS_API_KEY: service.apiKey,
    ARS_BASE_URL: service.baseUrl,
    NODE_EXTRA_CA_CERTS: service.caFile,
  }
  return runEach('typescript', (page) =>
    run({ program: process.execPath, args: [`guide-${page}.mts`], cwd: project, env }),
  )
}

export const checkGoGuides = async (folder: string, env: NodeJS.ProcessEnv): Promise<string> => {
  const module = 'github.com/agent-run-service/agent-run-service/sdks/go'
  const sdk = join(repositoryDir, 'sdks/go')
  const all = programs('go')
  for (const { page, text } of all) {
    mkdirSync(join(folder, page), { recursive: true })
    writeFileSync(join(folder, page, 'main.go'), text)
  }
  const needs = `require ${module} v0.0.0\n\nreplace ${module} => ${sdk}\n`
  writeFileSync(join(folder, 'go.mod'), `module example.com/guides\n\ngo 1.24.0\n\n${needs}`)
  await run({ program: 'go', args: ['vet', './...'], cwd: folder, env })
  return compiles(all.length)
}

export const runGoGuides = (folder: string, env: NodeJS.ProcessEnv): Promise<string> =>
  runEach('go', (page) => run({ program: 'go', args: ['run', `./${page}`], cwd: folder, env: { ...env, ...receiver } }))

/** Every supported Python reads the programs, and the newest one's types are checked. */
export const checkPythonGuides = async (folder: string, newest: string, oldest: string): Promise<string> => {
  const all = programs('python')
  const home = join(folder, 'guides')
  mkdirSync(home, { recursive: true })
  for (const { page, text } of all) writeFileSync(join(home, `${page}.py`), text)
  writeFileSync(join(home, 'pyrightconfig.json'), JSON.stringify({ typeCheckingMode: 'standard' }))
  const env = process.env
  await run({ program: oldest, args: ['-m', 'compileall', '-q', home], cwd: folder, env })
  const pyright = fileURLToPath(import.meta.resolve('pyright/index.js'))
  const args = [pyright, '--pythonpath', newest, '--project', home]
  await run({ program: process.execPath, args, cwd: folder, env })
  return compiles(all.length)
}

export const runPythonGuides = (folder: string, python: string, env: NodeJS.ProcessEnv): Promise<string> =>
  runEach('python', (page) =>
    run({ program: python, args: [join(folder, 'guides', `${page}.py`)], cwd: folder, env: { ...env, ...receiver } }),
  )

/** The requests with curl and jq, which no SDK covers. */
export const curlGuides: Sdk = {
  name: 'curl',
  steps: (service) => {
    const folder = mkdtempSync(join(tmpdir(), 'ars-guides-curl-'))
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
    const env = {
      ...process.env,
      ...receiver,
      ARS_API_KEY: service.apiKey,
      ARS_BASE_URL: service.baseUrl,
      CURL_CA_BUNDLE: service.caFile,
    }
    const bash = (...args: string[]) => run({ program: 'bash', args, cwd: folder, env })
    return [
      {
        name: 'jq',
        work: async () => lastLine(await run({ program: 'jq', args: ['--version'], cwd: folder, env })),
        prepares: true,
      },
      {
        name: 'guides, syntax',
        work: async () => {
          const all = programs('curl')
          for (const { page, text } of all) {
            writeFileSync(join(folder, `${page}.sh`), text)
            await bash('-n', `${page}.sh`)
          }
          return `bash reads the programs of ${all.length} pages`
        },
      },
      { name: 'guides, live', work: () => runEach('curl', (page) => bash(`${page}.sh`)) },
    ]
  },
}
