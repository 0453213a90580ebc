import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Block } from './block.ts'

/** One bash for all blocks of a page: variables and functions carry over from block to block. */
export type PageShell = {
  /** Answers what the block printed, and why it failed, if it did. */
  run(block: Block): Promise<{ output: string; fault: string | undefined }>
  /** What the background blocks have printed, and why one of them ended, if one did. */
  background(): readonly { block: Block; output: string; status: string | undefined }[]
  /** Ends everything that the page started. */
  close(): Promise<void>
}

type ShellOptions = { cwd: string; env: NodeJS.ProcessEnv; scratch: string; blockLimitMs: number }

/**
 * The shell reads the blocks to execute from descriptor 3, a mode and a file per line, and reports on descriptor 4. Blocks
 * see neither, and have no standard input. With `set -e` a block that fails ends the shell; its status is that of the block.
 */
const driver = `
set -eu -o pipefail
while IFS= read -r -u 3 __guide; do
  __guide_file=\${__guide#* }
  case \${__guide%% *} in
    run)
      . "$__guide_file" >"$__guide_file.out" 2>&1 3<&- 4>&-
      echo done >&4
      ;;
    fails)
      set +e
      (set -e; . "$__guide_file") >"$__guide_file.out" 2>&1 3<&- 4>&-
      __guide=$?
      set -e
      echo "failed $__guide" >&4
      ;;
    background)
      (set +e; (set -e; . "$__guide_file"); echo $? >"$__guide_file.status") >"$__guide_file.out" 2>&1 3<&- 4>&- &
      echo done >&4
      ;;
  esac
done
`

export const openPageShell = ({ cwd, env, scratch, blockLimitMs }: ShellOptions): PageShell => {
  const driverFile = join(scratch, 'driver')
  writeFileSync(driverFile, driver)
  const child = spawn('bash', ['--noprofile', '--norc', driverFile], {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'pipe', 'pipe'],
  })
  const [commands, reports] = [child.stdio[3] as Writable, child.stdio[4] as Readable]
  // A shell that has ended takes no more commands; its end is reported below.
  commands.on('error', () => undefined)
  const answers: string[] = []
  createInterface({ input: reports }).on('line', (line) => answers.push(line))
  const jobs: { block: Block; file: string }[] = []
  let count = 0

  /** What the shell reports, or its exit status, or neither because the time is up. */
  const answerOf = async (): Promise<string> => {
    const deadline = performance.now() + blockLimitMs
    while (performance.now() < deadline) {
      const answer = answers.shift()
      if (answer !== undefined) return answer
      if (hasEnded(child)) return answers.shift() ?? `exit ${child.exitCode ?? child.signalCode}`
      await sleep(5)
    }
    return 'late'
  }

  const run: PageShell['run'] = async (block) => {
    const file = join(scratch, `block-${count++}`)
    writeFileSync(file, block.code)
    commands.write(`${block.mode} ${file}\n`)
    const answer = await answerOf()
    if (block.mode === 'background' && answer === 'done') {
      jobs.push({ block, file })
      const fault = await faultOfStart(file, blockLimitMs)
      return { output: readIfThere(`${file}.out`), fault }
    }
    if (answer === 'late') endGroup(child, 'SIGKILL')
    return { output: readIfThere(`${file}.out`), fault: faultOf(block, answer, blockLimitMs) }
  }

  return {
    run,
    background: () =>
      jobs.map(({ block, file }) => ({
        block,
        output: readIfThere(`${file}.out`),
        status: existsSync(`${file}.status`) ? readFileSync(`${file}.status`, 'utf8').trim() : undefined,
      })),
    close: () => endAll(child),
  }
}

const faultOf = ({ mode }: Block, answer: string, limitMs: number): string | undefined => {
  if (answer === 'late') return `not done after ${limitMs / 1000} s`
  if (answer.startsWith('exit')) return `status ${answer.slice('exit '.length)}`
  if (mode === 'fails' && answer === 'failed 0') return 'status 0, but its fence says that it fails'
  return undefined
}

/** A background block has started when it prints something. */
const faultOfStart = async (file: string, limitMs: number): Promise<string | undefined> => {
  const deadline = performance.now() + limitMs
  while (performance.now() < deadline) {
    if (readIfThere(`${file}.out`).includes('\n')) return undefined
    if (existsSync(`${file}.status`)) return 'ended without a word, but its fence says background'
    await sleep(20)
  }
  return `printed nothing in ${limitMs / 1000} s; a background block counts as started with its first line`
}

/** Asks everything in the process group of the child to end, waits, and kills the rest. */
export const endAll = async (child: ChildProcess, patienceMs = 20_000): Promise<void> => {
  endGroup(child, 'SIGTERM')
  const deadline = performance.now() + patienceMs
  while (isGroupAlive(child) && performance.now() < deadline) await sleep(20)
  endGroup(child, 'SIGKILL')
  while (!hasEnded(child)) await sleep(20)
}

export const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null

const isGroupAlive = (child: ChildProcess): boolean => signalGroup(child, 0)

const endGroup = (child: ChildProcess, signal: NodeJS.Signals): void => void signalGroup(child, signal)

const signalGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals | 0): boolean => {
  try {
    return pid !== undefined && process.kill(-pid, signal)
  } catch {
    return false // Nothing of the group is left.
  }
}

const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '')
