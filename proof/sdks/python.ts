import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { repositoryDir } from '@ars/tools/dev/server'
import { checkPythonGuides, runPythonGuides } from './guides.ts'
import { installationOf } from './installation.ts'
import { findInterpreters, type Interpreter, keepTools, makeEnvironment } from './python-home.ts'
import { checkPythonPrograms, runExtraction, runPythonPrograms } from './python-programs.ts'
import { lastLine, outcomeOf, run, type Sdk, type Service, type Step } from './sdk.ts'
import { runStarter } from './starter.ts'

const folder = join(repositoryDir, 'sdks/python')
const home = join(repositoryDir, process.env.CI ? '.ci-state' : '.dev', 'sdk-python')
const pyright = fileURLToPath(import.meta.resolve('pyright/index.js'))

/** Faults that the transcripts must find, each a change of one line in the installed package. */
const faults = [
  {
    name: 'a new idempotency key for each attempt',
    only: 'idempotency: a create has a key',
    file: '_transport.py',
    from: 'headers = dict(request.headers)',
    to: 'import uuid; headers = {**request.headers, "idempotency-key": str(uuid.uuid4())}',
  },
  {
    name: 'repeated frames are passed on',
    only: 'streams: frames that come again',
    file: '_stream_state.py',
    from: 'int(event_id) <= int(last)',
    to: 'int(event_id) < 0',
  },
  {
    name: 'a reset is ignored',
    only: 'streams: resets',
    file: '_stream_state.py',
    from: '"run.output.reset"',
    to: '"run.output.never"',
  },
  {
    name: 'Retry-After is ignored',
    only: 'retries: Retry-After in seconds',
    file: '_retry.py',
    from: 'if told is not None:',
    to: 'if False:',
  },
  {
    name: 'the asynchronous client has no timeout',
    only: 'sizes: a body that trickles',
    file: '_async_transport.py',
    from: 'anyio.fail_after(timeout)',
    to: 'anyio.fail_after(60)',
  },
] as const

export const pythonSdk: Sdk = {
  name: 'Python',
  steps: (service) => {
    const scratch = mkdtempSync(join(tmpdir(), 'ars-sdk-python-'))
    process.on('exit', () => rmSync(scratch, { recursive: true, force: true }))
    let interpreters: readonly Interpreter[] = []
    let tools = ''
    let wheel = ''
    /** The environments with the installed wheel, newest Python first. */
    const installed: (Interpreter & { python: string })[] = []
    const tool = (...args: string[]) =>
      run({
        program: tools,
        args: ['-m', ...args],
        cwd: folder,
        env: { ...process.env, MYPY_CACHE_DIR: join(home, 'mypy') },
      })
    const step = (name: string, work: () => Promise<string>): Step => ({ name, work })
    const preparing = (name: string, work: () => Promise<string>): Step => ({ name, work, prepares: true })
    const first = (): string => installed[0]?.python ?? ''
    const live = () => ({ python: first(), service, env: environmentOf(service) })
    return [
      preparing('tools', async () => {
        interpreters = (await findInterpreters(folder)).toReversed()
        tools = await keepTools(
          join(home, 'tools'),
          interpreters[0]?.program ?? '',
          join(folder, 'requirements-dev.txt'),
        )
        return interpreters.map(({ version }) => version).join(', ')
      }),
      step('ruff', async () => {
        await tool('ruff', 'format', '--check', '.')
        return lastLine(await tool('ruff', 'check', '.'))
      }),
      preparing('wheel and sdist', async () => {
        await tool('build', '--no-isolation', '--outdir', scratch, '.')
        const files = readdirSync(scratch).filter((name) => /\.(whl|tar\.gz)$/.test(name))
        wheel = join(scratch, files.find((name) => name.endsWith('.whl')) ?? '')
        return files.join(', ')
      }),
      preparing('clean installations', async () => {
        const made = interpreters.map(async ({ program, version }) => {
          const dir = join(scratch, `clean-${version}`)
          const python = await makeEnvironment(dir, program, { packages: [wheel], pip: tools })
          return { program, version, python }
        })
        installed.push(...(await Promise.all(made)))
        return `${installed.length} environments`
      }),
      step('README, installation', () => installAsPrinted(scratch, interpreters[0]?.program ?? '')),
      step('mypy --strict', async () => lastLine(await tool('mypy', '--python-executable', tools))),
      step('pyright', async () => {
        const args = [pyright, '--pythonpath', tools]
        return lastLine(await run({ program: process.execPath, args, cwd: folder, env: process.env }))
      }),
      step('tests', async () => {
        const env = { ...process.env, PYTHONPATH: packagesOf(first()) }
        return lastLine(
          await run({ program: tools, args: ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'], cwd: folder, env }),
        )
      }),
      step('reference', async () => {
        await tool(
          'pdoc',
          '--output-directory',
          join(scratch, 'reference'),
          join(packagesOf(first()), 'agent_run_service'),
        )
        const page = readFileSync(join(scratch, 'reference/agent_run_service/resources.html'), 'utf8')
        if (!page.includes('id="Runs.create"')) throw new Error('The reference does not describe Runs.create')
        return `${readdirSync(join(scratch, 'reference/agent_run_service')).length + 1} pages`
      }),
      ...wantedVersions.map((version) =>
        step(`conformance ${version}`, async () => {
          const found = installed.find((each) => each.version === version)
          if (!found) return 'not tried'
          const { status, output } = await conformance(found.python, {})
          if (status !== 0) throw new Error(output.slice(-6_000))
          return output.trimEnd().split('\n').slice(-2).join('; ')
        }),
      ),
      step('planted faults', () => findFaults(first())),
      step('README, live', async () => lastLine(await readmeLive(first(), service))),
      step('guides, types', () => checkPythonGuides(scratch, first(), installed.at(-1)?.python ?? '')),
      step('guides, live', () => runPythonGuides(scratch, first(), environmentOf(service))),
      step('programs, types', () =>
        checkPythonPrograms(scratch, { tools, newest: first(), oldest: installed.at(-1)?.python ?? '' }),
      ),
      step('programs, live', () => runPythonPrograms(scratch, live())),
      step('programs, extraction', () => runExtraction(scratch, live())),
      step('starter', () => runStarter({ language: 'python', sdk: wheel, service, env: process.env })),
    ]
  },
  streams: async (service) => {
    const [newest] = (await findInterpreters(folder)).toReversed()
    const tools = await keepTools(join(home, 'tools'), newest?.program ?? '', join(folder, 'requirements-dev.txt'))
    const env = { ...environmentOf(service), PYTHONPATH: join(folder, 'src') }
    return { program: tools, args: [join(folder, 'conformance/streams.py')], cwd: folder, env }
  },
}

/** Executes what the README says, from an index that has this version, and from a copy of the folder. */
const installAsPrinted = async (scratch: string, program: string): Promise<string> => {
  const { fromRegistry, fromClone } = installationOf('python')
  const cwd = join(scratch, 'clone')
  cpSync(folder, join(cwd, 'sdks/python'), { recursive: true, filter: (path) => !path.includes('__pycache__') })
  const versions: string[] = []
  for (const [n, commands] of [fromRegistry, fromClone].entries()) {
    const home = join(scratch, `as-printed-${n}`)
    await run({ program, args: ['-m', 'venv', home], cwd: scratch, env: process.env })
    const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env.PATH}`, PIP_FIND_LINKS: scratch }
    await run({ program: 'bash', args: ['-euc', commands], cwd, env })
    const question = 'import agent_run_service; print(agent_run_service.__version__)'
    versions.push(lastLine(await run({ program: join(home, 'bin/python'), args: ['-c', question], cwd: home, env })))
  }
  return versions.join(', ')
}

const environmentOf = (service: Service): NodeJS.ProcessEnv => ({
  ...process.env,
  ARS_BASE_URL: service.baseUrl,
  ARS_API_KEY: service.apiKey,
  ARS_CA_FILE: service.caFile,
})

const wantedVersions = ['3.10', '3.11', '3.12', '3.13']

/** The folder with the packages of an environment. */
const packagesOf = (python: string): string => {
  const lib = join(python, '../../lib')
  return join(lib, readdirSync(lib)[0] ?? '', 'site-packages')
}

const conformance = (python: string, env: NodeJS.ProcessEnv) => {
  const args = [join(repositoryDir, 'sdks/conformance/main.ts'), python, join(folder, 'conformance/runner.py')]
  return outcomeOf({ program: process.execPath, args, cwd: folder, env: { ...process.env, ...env } })
}

const findFaults = async (python: string): Promise<string> => {
  for (const { name, only, file, from, to } of faults) {
    const copy = mkdtempSync(join(tmpdir(), 'ars-sdk-python-fault-'))
    try {
      cpSync(join(packagesOf(python), 'agent_run_service'), join(copy, 'agent_run_service'), { recursive: true })
      const path = join(copy, 'agent_run_service', file)
      const text = readFileSync(path, 'utf8')
      if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`)
      writeFileSync(path, text.replace(from, to))
      const { status, output } = await conformance(python, { PYTHONPATH: copy, ARS_CONFORMANCE_ONLY: only })
      // A copy that does not even start is no proof.
      if (output.includes('was not run') || !output.includes('cases passed')) throw new Error(output.slice(-4_000))
      if (status === 0) throw new Error(`no transcript found the fault: ${name}`)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  }
  return `${faults.length} of ${faults.length} found`
}

const readmeLive = (python: string, service: Service): Promise<string> =>
  run({
    program: python,
    args: [join(folder, 'conformance/readme.py')],
    cwd: folder,
    env: environmentOf(service),
  })
