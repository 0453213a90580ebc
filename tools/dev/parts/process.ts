import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findBinary } from './binary.ts'
import { type Part, PartError } from './part.ts'
import { reapStale, removePidFile, waitUntil, writePidFile } from './pid-file.ts'
import { requireFree } from './ports.ts'

/** How one process is run; its log and its pid file lie in `dir`. */
export type ProcessOptions = {
  name: string
  dir: string
  command: string
  args: readonly string[]
  /** The ports that must be free before the start, each with what it is for. */
  ports?: readonly { port: number; what: string }[]
  /** Throws when the program is not installed. */
  requireInstalled?: () => void
  /** Runs before each start, when nothing of an earlier one is left: writes configuration, for example. */
  prepare?: () => void | Promise<void>
  /** One cheap probe with its own timeout. False or an error mean: not ready yet. */
  isReady: () => Promise<boolean>
  env?: NodeJS.ProcessEnv
  cwd?: string
  /** Runs the process as this user; only root may ask for it. */
  user?: { uid: number; gid: number } | undefined
  stopSignal?: NodeJS.Signals
  /** Sent to the process when the program that started it dies. */
  deathSignal?: NodeJS.Signals
  startTimeoutMs?: number
  stopTimeoutMs?: number
}

export type ManagedProcess = Part & {
  readonly logFile: string
  /** SIGSTOP and SIGCONT: what a machine that hangs and comes back looks like. */
  freeze(): void
  thaw(): void
  /** Calls back when the process ends without having been told to. */
  onUnexpectedEnd(listener: (words: string) => void): void
}

export const managedProcess = (options: ProcessOptions): ManagedProcess => {
  const { name, dir, stopSignal = 'SIGTERM', deathSignal = 'SIGKILL', stopTimeoutMs = 30_000 } = options
  const logFile = join(dir, `${name}.log`)
  const pidFile = join(dir, `${name}.pid`)
  const listeners: ((words: string) => void)[] = []
  let child: ChildProcess | undefined
  let isEndExpected = false

  const isRunning = (): boolean => child !== undefined && child.exitCode === null && child.signalCode === null
  const hasEnded = (): boolean => !isRunning()
  const signal = (what: NodeJS.Signals): void => {
    if (isRunning()) child?.kill(what)
  }

  const launch = (): void => {
    const log = openSync(logFile, 'a')
    isEndExpected = false
    try {
      child = spawnTied(options, deathSignal, log)
    } finally {
      closeSync(log)
    }
    const launched = child
    tied.set(launched, deathSignal)
    launched.once('error', () => tied.delete(launched)) // The program could not be run; `waitUntilReady` sees its absence.
    launched.once('exit', (code, by) => {
      tied.delete(launched)
      removePidFile(pidFile)
      if (!isEndExpected)
        for (const tell of listeners) tell(`${name} ended unexpectedly (${by ?? `code ${code}`}). Its log: ${logFile}`)
    })
    if (launched.pid) writePidFile(pidFile, launched.pid, [options.command, ...options.args].join(' '))
  }

  const waitUntilReady = async (logStart: number): Promise<void> => {
    const deadline = performance.now() + (options.startTimeoutMs ?? 180_000)
    while (true) {
      if (!child?.pid) throw new PartError(`${name} could not be run: ${options.command}`)
      if (hasEnded()) throw new PartError(`${name} ended before it answered.\n${tail(logFile, logStart)}`)
      if (await options.isReady().catch(() => false)) return
      if (performance.now() > deadline)
        throw new PartError(`${name} did not answer in time.\n${tail(logFile, logStart)}`)
      await sleep(30)
    }
  }

  const end = async (how: NodeJS.Signals, timeoutMs: number): Promise<void> => {
    isEndExpected = true
    // A frozen process hears nothing but SIGKILL, and one that is to be killed must not wake up before.
    if (how !== 'SIGKILL') signal('SIGCONT')
    signal(how)
    if (await waitUntil(hasEnded, timeoutMs)) return
    signal('SIGKILL')
    await waitUntil(hasEnded, 10_000)
  }

  const check = async (): Promise<void> => {
    options.requireInstalled?.()
    // A process that dies by another signal than SIGKILL is perhaps just ending in good order.
    await reapStale(pidFile, deathSignal === 'SIGKILL' ? 0 : 5000)
    for (const { port, what } of options.ports ?? []) await requireFree(port, what)
  }

  return {
    name,
    logFile,
    check,
    pid: () => (isRunning() ? child?.pid : undefined),
    async start() {
      mkdirSync(dir, { recursive: true })
      await check()
      await options.prepare?.()
      const logStart = existsSync(logFile) ? statSync(logFile).size : 0
      launch()
      try {
        await waitUntilReady(logStart)
      } catch (error) {
        await end('SIGKILL', 10_000)
        throw error
      }
    },
    stop: () => end(stopSignal, stopTimeoutMs),
    kill: () => end('SIGKILL', 10_000),
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    onUnexpectedEnd: (listener) => listeners.push(listener),
  }
}

// Children live in sessions of their own, so that a Ctrl-C at the terminal reaches only us and the order of stopping is
// ours. Two cords tie them to us all the same: the kernel signals them when we die, even by SIGKILL (Linux, `setpriv`),
// and the exit handler below does so wherever we end in the usual way.
const tied = new Map<ChildProcess, NodeJS.Signals>()
process.on('exit', () => {
  for (const [child, deathSignal] of tied) child.kill(deathSignal)
})

const spawnTied = (options: ProcessOptions, deathSignal: NodeJS.Signals, log: number): ChildProcess => {
  const setpriv = process.platform === 'linux' ? findBinary(['setpriv']) : undefined
  if (options.user && !setpriv)
    throw new PartError(`to run ${options.name} as root, install setpriv (package util-linux)`)
  const user = options.user ? [`--reuid=${options.user.uid}`, `--regid=${options.user.gid}`, '--init-groups'] : []
  const prefix = setpriv ? [setpriv, ...user, `--pdeathsig=${deathSignal.slice('SIG'.length)}`, '--'] : []
  const [command = options.command, ...args] = [...prefix, options.command, ...options.args]
  return spawn(command, args, {
    env: options.env ?? process.env,
    cwd: options.cwd ?? options.dir,
    detached: true,
    stdio: ['ignore', log, log],
  })
}

const tail = (file: string, from: number): string => {
  const lines = readFileSync(file).subarray(from).toString('utf8').trimEnd().split('\n').slice(-15)
  return `The end of its log, ${file}:\n${lines.map((line) => `  ${line}`).join('\n')}`
}
