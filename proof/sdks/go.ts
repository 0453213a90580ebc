import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keepGo } from '@ars/tools/dev/go'
import { repositoryDir } from '@ars/tools/dev/server'
import { buildGoModule } from '@ars/tools/release/go-module'
import { checkGoGuides, runGoGuides } from './guides.ts'
import { installationOf } from './installation.ts'
import { copyPrograms, runPrograms } from './programs.ts'
import { lastLine, outcomeOf, type ReachingService, run, type Sdk, type Service, type Step } from './sdk.ts'
import { runStarter } from './starter.ts'

const folder = join(repositoryDir, 'sdks/go')
const staticcheck = 'honnef.co/go/tools/cmd/staticcheck@v0.6.1'
const home = join(repositoryDir, process.env.CI ? '.ci-state' : '.dev', 'go-toolchain')

/** Faults that the transcripts must find, each a change of one line. */
const faults = [
  {
    name: 'a new idempotency key for each attempt',
    file: 'transport.go',
    from: 'c.authorize(outgoing.Header)',
    to: 'c.authorize(outgoing.Header)\n\t\toutgoing.Header.Set("Idempotency-Key", newIdempotencyKey())',
  },
  {
    name: 'repeated frames are passed on',
    file: 'stream.go',
    from: 'return number <= lastNumber',
    to: 'return number+lastNumber < 0',
  },
  { name: 'a reset is ignored', file: 'run_stream.go', from: '"run.output.reset"', to: '"run.output.never"' },
]

export const goSdk: Sdk = {
  name: 'Go',
  steps: (service) => {
    let environment: NodeJS.ProcessEnv = {}
    let customer: Customer = { folder: '', env: {} }
    const go = (...args: string[]) => run({ program: 'go', args, cwd: folder, env: environment })
    const step = (name: string, work: () => Promise<string>): Step => ({ name, work })
    const preparing = (name: string, work: () => Promise<string>): Step => ({ name, work, prepares: true })
    const guides = mkdtempSync(join(tmpdir(), 'ars-sdk-go-guides-'))
    const packed = mkdtempSync(join(tmpdir(), 'ars-sdk-go-packed-'))
    process.on('exit', () => {
      for (const dir of [guides, packed]) rmSync(dir, { recursive: true, force: true })
    })
    return [
      preparing('toolchain', async () => {
        environment = await keepGo(home, console.log)
        return (await go('version')).trim()
      }),
      step('gofmt', async () => {
        const output = await run({ program: 'gofmt', args: ['-l', '.'], cwd: folder, env: environment })
        if (output !== '') throw new Error(`not formatted:\n${output}`)
        return 'formatted'
      }),
      step('go vet', async () => (await go('vet', '-tags', 'repository', './...')) || 'nothing found'),
      step(
        'staticcheck',
        async () => (await go('run', staticcheck, '-tags', 'repository', './...')) || 'nothing found',
      ),
      step('go test', async () => lastLine(await go('test', '-tags', 'repository', '.'))),
      preparing('pack and install', async () => {
        customer = await installPacked(packed, environment)
        return lastLine(
          await run({ program: 'go', args: ['list', '-m', 'all'], cwd: customer.folder, env: customer.env }),
        )
      }),
      step('conformance, packed', () => packedConformance(customer)),
      step('planted faults', () => findFaults(environment)),
      step('examples, live', async () => lastLine(await examplesLive(service, environment))),
      step('guides, types', () => checkGoGuides(guides, environment)),
      step('guides, live', () => runGoGuides(guides, environmentOf(service, environment))),
      step('programs, types', () => checkPrograms(customer)),
      step('programs, live', () => runGoPrograms(customer, service)),
      step('starter', () => runStarter({ language: 'go', sdk: folder, service, env: environment })),
    ]
  },
  streams: async (service) => {
    const env = await keepGo(home, console.log)
    return { program: 'go', args: ['run', './internal/streams'], cwd: folder, env: environmentOf(service, env) }
  },
}

const environmentOf = (service: Service, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv => ({
  ...env,
  ARS_BASE_URL: service.baseUrl,
  ARS_API_KEY: service.apiKey,
  SSL_CERT_FILE: service.caFile,
})

type Transcripts = { readonly cwd: string; readonly program: string; readonly env: NodeJS.ProcessEnv }

/** Runs all transcripts with the runner that `program` names, built in `cwd`. */
const conformance = async ({ cwd, program, env }: Transcripts) => {
  const scratch = mkdtempSync(join(tmpdir(), 'ars-sdk-go-'))
  try {
    const runner = join(scratch, 'runner')
    await run({ program: 'go', args: ['build', '-o', runner, program], cwd, env })
    const main = join(repositoryDir, 'sdks/conformance/main.ts')
    return await outcomeOf({ program: process.execPath, args: [main, runner], cwd, env })
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A module that has nothing but the SDK. */
type Customer = { readonly folder: string; readonly env: NodeJS.ProcessEnv }

const moduleName = 'github.com/agent-run-service/agent-run-service/sdks/go'

/** Builds the module as a proxy serves it and installs it into an empty module. */
const installPacked = async (scratch: string, env: NodeJS.ProcessEnv): Promise<Customer> => {
  const { version } = JSON.parse(readFileSync(join(repositoryDir, 'package.json'), 'utf8'))
  const [module] = await buildGoModule(repositoryDir, scratch, version)
  if (module?.name !== moduleName) throw new Error(`The module is called ${module?.name}`)
  const folder = join(scratch, 'app')
  mkdirSync(folder)
  const own = { ...env, GOPROXY: `file://${join(scratch, 'go')}`, GONOSUMDB: '*', GOPATH: join(scratch, 'path') }
  await run({ program: 'go', args: ['mod', 'init', 'example.com/app'], cwd: folder, env: own })
  const { fromRegistry, fromClone } = installationOf('go')
  await run({ program: 'bash', args: ['-euc', fromRegistry], cwd: folder, env: own })
  await installFromClone(fromClone, scratch, env)
  return { folder, env: own }
}

const installFromClone = async (commands: string, scratch: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const cwd = join(scratch, 'with-a-clone')
  mkdirSync(cwd)
  await run({ program: 'go', args: ['mod', 'init', 'example.com/app'], cwd, env })
  const own = commands.replace('/path/to/clone', repositoryDir)
  await run({ program: 'bash', args: ['-euc', own], cwd, env })
  await run({ program: 'go', args: ['build', moduleName], cwd, env })
}

const packedConformance = async ({ folder: cwd, env }: Customer): Promise<string> => {
  const outcome = await conformance({ cwd, program: `${moduleName}/internal/conformance`, env })
  if (outcome.status !== 0) throw new Error(outcome.output.slice(-6_000))
  return lastLine(outcome.output)
}

/** Builds the programs of `examples/programs` in the module of the customer. */
const checkPrograms = async ({ folder, env }: Customer): Promise<string> => {
  const names = copyPrograms(folder, 'main.go')
  const unformatted = await run({ program: 'gofmt', args: ['-l', '.'], cwd: folder, env })
  if (unformatted !== '') throw new Error(`not formatted:\n${unformatted}`)
  await run({ program: 'go', args: ['vet', './...'], cwd: folder, env })
  mkdirSync(join(folder, 'bin'))
  await run({ program: 'go', args: ['build', '-o', join(folder, 'bin'), './...'], cwd: folder, env })
  return `${names.length} programs compile`
}

const runGoPrograms = ({ folder, env }: Customer, service: ReachingService): Promise<string> =>
  runPrograms({
    language: 'go',
    folder: (name) => join(folder, name),
    command: (name) => [join(folder, 'bin', name)],
    service,
    env: environmentOf(service, env),
  })

const findFaults = async (env: NodeJS.ProcessEnv): Promise<string> => {
  for (const { name, file, from, to } of faults) {
    const copy = mkdtempSync(join(tmpdir(), 'ars-sdk-go-fault-'))
    try {
      cpSync(folder, copy, { recursive: true })
      const text = readFileSync(join(copy, file), 'utf8')
      if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`)
      writeFileSync(join(copy, file), text.replace(from, to))
      const { status } = await conformance({ cwd: copy, program: './internal/conformance', env })
      if (status === 0) throw new Error(`no transcript found the fault: ${name}`)
    } finally {
      rmSync(copy, { recursive: true, force: true })
    }
  }
  return `${faults.length} of ${faults.length} found`
}

const examplesLive = (service: Service, env: NodeJS.ProcessEnv): Promise<string> =>
  run({
    program: 'go',
    args: ['test', '-count', '1', '-run', '^Example', '-v', '.'],
    cwd: folder,
    env: environmentOf(service, env),
  })
