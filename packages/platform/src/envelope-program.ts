import { type ExecFileException, execFile } from 'node:child_process'
import { accessSync, constants, statSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import { platformBounds } from './bounds.ts'
import { DatabaseUnavailable, type WhyUnavailable } from './db/unavailable.ts'

/**
 * A key-encryption key in a key service or a hardware module, reached through a program of the operator. The program is
 * run with `wrap` or `unwrap`; it reads base64 from standard input and writes base64 to standard output.
 */
export type KeyProgram = {
  wrap(plain: Uint8Array, organisation: string): Promise<Buffer>
  unwrap(wrapped: Uint8Array, organisation: string): Promise<Buffer>
}

/** A stored data key is currently unavailable. Handled like an unavailable database: same response, same retries. */
export class KeyServiceUnavailable extends DatabaseUnavailable {
  override get why(): WhyUnavailable {
    return 'key_service_away'
  }
}

export type Environment = Readonly<Record<string, string | undefined>>

export type KeyProgramLimits = {
  readonly timeoutMs: number
  readonly answerBytes: number
  /** A process that starts with a thousand organisations must not start a thousand programs. */
  readonly atOnce: number
  readonly maxWaiting: number
}

export const keyProgramLimits: KeyProgramLimits = {
  timeoutMs: platformBounds.keyProgram.ms,
  answerBytes: platformBounds.keyProgram.bytes,
  atOnce: platformBounds.keyProgramCalls.count,
  maxWaiting: platformBounds.keyProgramWaiting.count,
}

export const createKeyProgram = (
  { path, kekId, environment }: { path: string; kekId: string; environment: Environment },
  limits: KeyProgramLimits = keyProgramLimits,
): KeyProgram => {
  const pass = createGate(limits)

  const ask = async (verb: 'wrap' | 'unwrap', bytes: Uint8Array, organisation: string): Promise<Buffer> => {
    const settings = { ...notOurs(environment), ARS_KEK_ID: kekId, ARS_KEK_ORGANISATION: organisation }
    const answered = await pass(() =>
      run({ path, verb, input: Buffer.from(bytes).toString('base64'), settings }, limits),
    )
    const base64 = answered.trim()
    const answer = Buffer.from(base64, 'base64')
    if (answer.length === 0 || answer.toString('base64') !== base64)
      throw new KeyServiceUnavailable(`${path} ${verb} did not answer with base64`)
    return answer
  }

  return {
    wrap: (plain, organisation) => ask('wrap', plain, organisation),
    unwrap: (wrapped, organisation) => ask('unwrap', wrapped, organisation),
  }
}

/** The fault of the file, or undefined. A user who can change the program has access to every data key. */
export const faultOfProgram = (path: string): string | undefined => {
  if (!isAbsolute(path)) return `${path} must be the whole path of a program`
  try {
    const stats = statSync(path)
    if (!stats.isFile()) return `${path} is not a file`
    if ((stats.mode & 0o022) !== 0) return `${path} may be changed by others: nobody but its owner may write it`
    accessSync(path, constants.X_OK)
    return undefined
  } catch {
    return `${path} cannot be run`
  }
}

type Question = { path: string; verb: string; input: string; settings: Environment }

const run = (
  { path, verb, input, settings }: Question,
  { timeoutMs, answerBytes }: KeyProgramLimits,
): Promise<string> =>
  new Promise((resolve, reject) => {
    const options = {
      env: settings,
      cwd: '/',
      timeout: timeoutMs,
      maxBuffer: answerBytes,
      killSignal: 'SIGKILL',
      encoding: 'utf8',
    } as const
    const child = execFile(path, [verb], options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout)
      // The original error contains the output of the program, so it is not passed on.
      reject(new KeyServiceUnavailable(`${path} ${verb} ${describe(error, { timeoutMs, answerBytes })}${said(stderr)}`))
    })
    // A program may exit without reading its input; its output decides.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(`${input}\n`)
  })

const describe = (
  { killed, code }: ExecFileException,
  { timeoutMs, answerBytes }: Pick<KeyProgramLimits, 'timeoutMs' | 'answerBytes'>,
): string => {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return `answered with more than ${answerBytes} bytes`
  if (killed === true) return `did not answer within ${timeoutMs} ms`
  return typeof code === 'number' ? `ended with code ${code}` : `could not be run (${code ?? 'killed'})`
}

/** The beginning of its error output, without anything that could be a key. */
const said = (stderr: string): string => {
  const [line = ''] = stderr.trim().split('\n')
  return line === '' ? '' : `: ${line.slice(0, complaintChars).replaceAll(/[A-Za-z0-9+/=_-]{20,}/g, '[cut]')}`
}

const complaintChars = 200

/** The program gets the environment without the settings of this service, which contain passwords. */
const notOurs = (environment: Environment): Environment =>
  Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('ARS_')))

const createGate = ({ atOnce, maxWaiting }: Pick<KeyProgramLimits, 'atOnce' | 'maxWaiting'>) => {
  const waiting: (() => void)[] = []
  let inside = 0
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    if (inside >= atOnce) {
      if (waiting.length >= maxWaiting)
        throw new KeyServiceUnavailable('Too many calls are waiting for the key program')
      // The slot passes to the next waiter, so the count stays.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else inside += 1
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else inside -= 1
    }
  }
}
