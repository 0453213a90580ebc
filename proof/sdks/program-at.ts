import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import type { AgentRunService } from '@agent-run-service/sdk'
import { waitFor } from '../lab/condition.ts'
import type { ReachingService } from './sdk.ts'

/** How the programs of one language are started. */
export type Programs = {
  readonly language: 'typescript' | 'python' | 'go'
  /** The folder of a program, with its files. */
  folder(name: string): string
  command(name: string): readonly string[]
  readonly service: ReachingService
  readonly env: NodeJS.ProcessEnv
}

/** What a play has: the program, started as a customer starts it, and a client that looks at what it did. */
export type ProgramAt = {
  readonly language: string
  readonly folder: string
  readonly service: ReachingService
  readonly client: AgentRunService
  /** Runs the program to its end. */
  run(given: Given): Promise<{ status: number; output: string }>
  /** Starts a program that does not end. `PORT` has a free port. */
  serve(given: Given): Promise<Serving>
  killAll(): void
}

export type Play = (program: ProgramAt) => Promise<void>

type Given = { agentId?: string; args?: readonly string[]; stdin?: string; env?: NodeJS.ProcessEnv }

export type Serving = {
  readonly port: number
  output(): string
  /** Waits until the output has this text. */
  says(text: string): Promise<void>
  kill(): Promise<void>
}

export const programAt = (programs: Programs, name: string, client: AgentRunService): ProgramAt => {
  const { language, service } = programs
  const folder = programs.folder(name)
  const started = new Set<ChildProcess>()
  const start = ({ agentId = '', args = [], stdin = '', env = {} }: Given) => {
    const [program = '', ...own] = programs.command(name)
    const child = spawn(program, [...own, ...args], {
      cwd: folder,
      env: { ...programs.env, AGENT_ID: agentId, ...env },
    })
    started.add(child)
    child.stdin.on('error', () => undefined).end(stdin)
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part))
    return { child, closed: once(child, 'close') as Promise<[number | null]>, output: () => output }
  }
  return {
    language,
    folder,
    service,
    client,
    run: async (given) => {
      const { closed, output } = start(given)
      const [status] = await closed
      return { status: status ?? 1, output: output() }
    },
    serve: async (given) => {
      const port = await freePort()
      const { child, closed, output } = start({ ...given, env: { ...given.env, PORT: String(port) } })
      return {
        port,
        output,
        says: async (text) => {
          await waitFor(text, () => output().includes(text), { timeoutMs: 60_000 }).catch((error) => {
            throw new Error(`${error.message}, and the program says:\n${output()}`)
          })
        },
        kill: async () => {
          child.kill('SIGKILL')
          await closed
        },
      }
    },
    killAll: () => {
      for (const child of started) child.kill('SIGKILL')
    },
  }
}

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, 'localhost')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}
