import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** Runs commands to their end, as a visitor's shell does, and answers what they printed. */
export const runShell = async (code: string, place: { cwd: string; env: NodeJS.ProcessEnv }): Promise<string> => {
  const child = spawn('bash', ['--noprofile', '--norc', '-eu', '-o', 'pipefail', '-c', code], {
    ...place,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 600_000,
  })
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const code_ = await new Promise<number | null>((resolve) => child.on('close', resolve))
  if (code_ !== 0) throw new Error(`status ${code_} of:\n${code}\n${output.slice(-4_000)}`)
  return output
}

/** A command that goes on in a terminal: it has started when it prints `words`. */
export const startInTerminal = async (
  code: string,
  { words, log, ...place }: { words: string; log: string; cwd: string; env: NodeJS.ProcessEnv },
): Promise<ChildProcess> => {
  const output = openSync(log, 'w')
  const child = spawn('bash', ['--noprofile', '--norc', '-c', code], {
    ...place,
    // A Ctrl-C at a terminal reaches the whole group.
    detached: true,
    stdio: ['ignore', output, output],
  })
  closeSync(output)
  const deadline = performance.now() + 600_000
  while (!(existsSync(log) && readFileSync(log, 'utf8').includes(words))) {
    const printed = readFileSync(log, 'utf8')
    if (child.exitCode !== null) throw new Error(`${code.trim()} ended with ${child.exitCode}:\n${printed}`)
    if (performance.now() > deadline) throw new Error(`${code.trim()} is not up after 10 minutes:\n${printed}`)
    await sleep(100)
  }
  return child
}

/** Signals the group, and waits until nothing of it is left. */
export const endTerminal = async (child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> => {
  const group = -(child?.pid ?? 0)
  if (group === 0) return
  const send = (what: NodeJS.Signals | 0): boolean => {
    try {
      return process.kill(group, what)
    } catch {
      return false
    }
  }
  send(signal)
  const deadline = performance.now() + 60_000
  while (send(0) && performance.now() < deadline) await sleep(50)
  if (!send('SIGKILL')) return
  throw new Error(`the service was not stopped 60 s after ${signal}`)
}
