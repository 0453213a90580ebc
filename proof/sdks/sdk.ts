import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { TlsFront } from './tls-front.ts'

/** The running service, for clients. */
export type Service = {
  readonly baseUrl: string
  readonly apiKey: string
  /** The certificate that clients must trust. */
  readonly caFile: string
}

/** A service that reaches programs of this computer, too. */
export type ReachingService = Service & {
  /** Passes deliveries of webhooks to a program. */
  readonly front: TlsFront
}

/** How one SDK is judged. The steps run in order; the first that fails ends them. */
export type Sdk = {
  readonly name: string
  steps(service: ReachingService): readonly Step[]
  /** The program that opens many streams; see `streams.ts`. */
  streams?(service: Service): Promise<Command>
}

export type Step = {
  readonly name: string
  readonly work: () => Promise<string>
  /** Other steps need what it makes. */
  readonly prepares?: boolean
}

export type Command = {
  readonly program: string
  readonly args: readonly string[]
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
}

/** Runs a program to its end and returns its output. A status other than 0 is an error with the output. */
export const run = async ({ program, args, cwd, env }: Command): Promise<string> => {
  const { status, output } = await outcomeOf({ program, args, cwd, env })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}:\n${output.slice(-6_000)}`)
  return output
}

export const outcomeOf = async ({ program, args, cwd, env }: Command): Promise<{ status: number; output: string }> => {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part))
  const [status] = (await once(child, 'close')) as [number | null]
  return { status: status ?? 1, output }
}

/** The last line that says something. */
export const lastLine = (output: string): string => output.trimEnd().split('\n').at(-1) ?? ''
