import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { ask } from '../prompt.ts'
import { acting, type Session, settingsOfCall } from '../session.ts'
import { go } from '../starter/go.ts'
import { python } from '../starter/python.ts'
import { filesOf, type Starter } from '../starter/starter.ts'
import { typescript } from '../starter/typescript.ts'
import { version } from '../version.ts'

const starters: ReadonlyMap<string, Starter> = new Map(Object.entries({ typescript, python, go }))

export const addInit = (program: Command): void => {
  withExamples(
    program
      .command('init')
      .description('write a first program that runs an agent, and run it')
      .addArgument(new Argument('[language]', 'language of the program').choices([...starters.keys()]))
      .argument('[folder]', 'new or empty folder', 'my-program')
      .option('--agent <agent>', 'name or id of the agent; otherwise the newest active one')
      .option('--sdk <path>', 'package file or folder of the SDK, instead of the published version')
      .option('--run', 'install the SDK and run the program')
      .option('--no-run', 'do not run the program and do not ask')
      .action(acting(init)),
    'ars init typescript',
    'ars init python my-program --agent test-echo --run',
  )
}

type Options = { agent?: string; sdk?: string; run?: boolean }

const init = async (session: Session, given: string | undefined, folder: string, options: Options) => {
  const { terminal, settings } = session
  // Before any question: without a key the program cannot run.
  const { baseUrl } = settingsOfCall(settings)
  const language = given ?? ((await ask('Language: typescript, python or go', 'typescript')) || 'typescript')
  const starter = starters.get(language)
  if (starter === undefined) {
    throw new CommandError(`There is no starter for ${language}`, { advice: 'Use typescript, python or go.' })
  }
  const target = checkedFolder(folder)
  const sdk = options.sdk === undefined ? undefined : checkedSdk(options.sdk)
  const agentId = await chooseAgent(session, options.agent)
  const caFile = settings.caFile === undefined ? undefined : resolve(settings.caFile)
  const files = filesOf(starter, { baseUrl, agentId, caFile, version, sdk })
  mkdirSync(target, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(target, name), text)
  const shown = relative(process.cwd(), target) || '.'
  terminal.result({ object: 'starter', language, folder: target, agent_id: agentId, files: Object.keys(files) }, () =>
    [`Wrote ${shown}:`, ...Object.keys(files).map((name) => `  ${name}`)].join('\n'),
  )
  const isRun =
    options.run ?? (process.stdin.isTTY === true && isYes(await ask('Install the SDK and run it now', 'yes')))
  if (isRun) return runProgram(session, starter, { target, agentId, caFile })
  terminal.note(`Next: cd ${shown}, and follow README.md`)
  return undefined
}

const isYes = (answer: string): boolean => answer === '' || /^y(es)?$/i.test(answer)

const checkedFolder = (folder: string): string => {
  const target = resolve(folder)
  if (!existsSync(target)) return target
  if (!statSync(target).isDirectory()) throw new CommandError(`${folder} is a file`, { advice: 'Name a new folder.' })
  if (readdirSync(target).length === 0) return target
  throw new CommandError(`${folder} is not empty`, {
    advice: 'Name a new folder: ars init typescript my-other-program',
  })
}

const checkedSdk = (path: string): string => {
  if (existsSync(path)) return resolve(path)
  throw new CommandError(`--sdk: ${path} does not exist`)
}

const chooseAgent = async ({ client, signal }: Session, given: string | undefined): Promise<string> => {
  if (given !== undefined) return findAgentId(client(), given, signal)
  const { data } = await client().agents.list({ status: 'active', limit: 1 }, { signal })
  if (data[0] !== undefined) return data[0].id
  throw new CommandError('The organisation has no active agent', {
    advice: 'Hire one of the catalog: ars catalog list',
    code: 'not_found',
    exitCode: exitCodes.notFound,
  })
}

type Written = { target: string; agentId: string; caFile: string | undefined }

/** The program gets the settings of this command, so that it runs before the reader has filled in `.env`. */
const runProgram = async ({ terminal, settings, signal }: Session, starter: Starter, written: Written) => {
  const { target, agentId, caFile } = written
  const { baseUrl, apiKey } = settingsOfCall(settings)
  const env = {
    ...process.env,
    ARS_BASE_URL: baseUrl,
    ARS_API_KEY: apiKey,
    ARS_AGENT_ID: agentId,
    ...(caFile !== undefined && { [starter.caVariable]: caFile }),
  }
  for (const [program = '', ...args] of starter.commands) {
    terminal.note(`$ ${[program, ...args].join(' ')}`)
    // With --json only the document goes to stdout.
    const child = spawn(program, args, { cwd: target, env, signal, stdio: ['ignore', terminal.isJson ? 2 : 1, 2] })
    const [status] = await once(child, 'close').catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error
      throw new CommandError(`${program} is not installed`, {
        advice: `Install ${starter.title}, then follow README.md in ${target}`,
        exitCode: exitCodes.failed,
      })
    })
    if (status !== 0) {
      throw new CommandError(`${[program, ...args].join(' ')} ended with ${status}`, {
        advice: `Correct the cause, then follow README.md in ${target}`,
        code: 'program_failed',
        exitCode: exitCodes.failed,
      })
    }
  }
  return undefined
}
