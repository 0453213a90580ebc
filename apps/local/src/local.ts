// biome-ignore-all lint/suspicious/noConsole: a program at a terminal.
// biome-ignore-all lint/style/noProcessEnv: a program that reads its own options; ars-server parses the settings.
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { devSettings, rememberedPortBase } from '@ars/tools/dev/dev-settings'
import { describeModels, findLocalModel } from '@ars/tools/dev/local-model'
import { PartError } from '@ars/tools/dev/parts/part'
import { defaultPortBase } from '@ars/tools/dev/parts/ports'
import { runProgram, runStack, type Seed, shortPath } from '@ars/tools/dev/run-stack'
import { serverCommand } from '@ars/tools/dev/server-command'
import { quote, writeShellFile } from '@ars/tools/dev/shell-file'
import { createStack, type Stack } from '@ars/tools/dev/stack'
import { version } from './version.ts'

const defaultDir = join(homedir(), '.agent-run-service')

const help = `agent-run-service: Agent Run Service on this computer, without containers.

  npx agent-run-service              start everything: Postgres, the Restate engine, gateway and worker
  npx agent-run-service doctor       check every component of the running service
  npx agent-run-service admin …      a command of ars-server with the settings of this service

The first start creates an organisation with an API key, an owner and test agents. Ctrl-C stops everything. All
state lies in one folder and is there at the next start; delete the folder to begin afresh.

  --dir <path>      the folder (default ${defaultDir})
  --port-base <n>   the first of 20 ports; the API listens on <n> + 3 (default ${defaultPortBase})
  --version         the version
  --help            this text

Settings of the server are environment variables (ARS_…). OPENAI_API_KEY, ANTHROPIC_API_KEY and GEMINI_API_KEY enable the
models of a vendor, and a model server such as Ollama is found. ARS_MODELS_FILE, or models.yaml in the folder, lists models.
`

const options = {
  dir: { type: 'string' },
  'port-base': { type: 'string' },
  version: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Options before the first word are ours; that word and what follows are a command of `ars-server`. */
const readArguments = () => {
  try {
    const { tokens } = parseArgs({ options, allowPositionals: true, strict: false, tokens: true })
    const first = tokens.find(({ kind }) => kind === 'positional')?.index ?? process.argv.length
    const own = process.argv.slice(2, 2 + first)
    return { ...parseArgs({ args: own, options }).values, command: process.argv.slice(2 + first) }
  } catch (error) {
    throw new PartError(`${(error as Error).message}\n\n${help}`, { cause: error })
  }
}

const main = async (): Promise<void> => {
  const { command, ...values } = readArguments()
  if (values.help) return console.log(help)
  if (values.version) return console.log(version)
  const dir = resolve(values.dir ?? defaultDir)
  if (command.length > 0)
    return serverCommand(createStack({ dir, base: rememberedPortBase(dir), isAlone: true }), command, process.cwd())
  const base = Number(values['port-base'] ?? process.env.ARS_PORT_BASE ?? defaultPortBase)
  const stack = createStack({ dir, base, isAlone: true })
  const models = process.env.ARS_MODELS_FILE ?? ownModels(dir)
  const local = await findLocalModel()
  await runStack({
    stack,
    env: { ...devSettings(stack), ARS_MODELS_FILE: models, ...(local && { ARS_LOCAL_MODEL_URL: local.url }) },
    models: describeModels(models && shortPath(models), local),
    welcome: (seed) => welcome(stack, writeShellFile(stack, seed.api_key), seed),
  })
}

const ownModels = (dir: string): string | undefined => {
  const file = join(dir, 'models.yaml')
  return existsSync(file) ? file : undefined
}

const welcome = (stack: Stack, shellFile: string, { api_key: key, owner }: Seed): string => {
  const { ARS_PUBLIC_URL: url } = stack.env('all')
  return `
Agent Run Service ${version} serves. Ctrl-C stops it; its data stays in ${stack.dir}.

  Base URL    ${url}/v2
  API key     ${key}
  Dashboard   ${url}/dashboard/
              Log in as ${owner.email} with the password ${owner.password}

The certificate is self-signed. This line in another terminal sets the address, the key and the certificate for curl,
the SDKs and ars:

. ${quote(shortPath(shellFile))}
`
}

await runProgram(main)
