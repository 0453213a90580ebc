import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { Argument, type Command } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { chooseAgent, describeAgent, openPage, playgroundOf } from '../first-agent.ts'
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
      .description('make a first agent, write a program that runs it, and open the dashboard')
      .addArgument(new Argument('[language]', 'language of the program').choices([...starters.keys()]))
      .argument('[folder]', 'new or empty folder', 'my-program')
      .option('--agent <agent>', 'name or id of an agent; otherwise a new one is made')
      .option(
        '--model <model>',
        'model of the new agent; otherwise the first one of "ars models list" that is not simulated',
      )
      .option('--sdk <path>', 'package file or folder of the SDK, instead of the published version')
      .option('--run', 'install the SDK and run the program')
      .option('--no-run', 'do not run the program and do not ask')
      .option('--open', 'open the Playground of the dashboard with the agent; usual on a terminal')
      .option('--no-open', 'do not open it')
      .action(acting(init)),
    'ars init typescript',
    'ars init python my-program --agent test-echo --run',
  )
}

type Options = { agent?: string; model?: string; sdk?: string; run?: boolean; open?: boolean }

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
  const agent = await chooseAgent(session, { agent: options.agent, model: options.model, folder: target })
  const agentId = agent.id
  const caFile = settings.caFile === undefined ? undefined : resolve(settings.caFile)
  const files = filesOf(starter, { baseUrl, agentId, caFile, version, sdk })
  mkdirSync(target, { recursive: true })
  for (const [name, text] of Object.entries(files)) writeFileSync(join(target, name), text)
  const shown = relative(process.cwd(), target) || '.'
  const page = playgroundOf(baseUrl, agentId)
  terminal.result(
    { object: 'starter', language, folder: target, agent_id: agentId, dashboard: page, files: Object.keys(files) },
    () => [`Wrote ${shown}:`, ...Object.keys(files).map((name) => `  ${name}`)].join('\n'),
  )
  terminal.note(describeAgent(agent))
  const isOpened = (options.open ?? process.stdin.isTTY === true) && (await openPage(page))
  terminal.note(`${isOpened ? 'Opened' : 'Try it in the dashboard:'} ${page}`)
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
