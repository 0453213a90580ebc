import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { until } from '../../server/test/app.ts'
import type { Home } from './ars.slow.ts'

const execute = promisify(execFile)
let count = 0

/** A real terminal in which a shell runs, with `ars` in its PATH. Needs tmux. */
export type TmuxTerminal = {
  /** Types text, as a person would. */
  type(text: string): Promise<void>
  /** Presses keys by the names of tmux: `Enter`, `Tab`, `C-c`. */
  press(...keys: string[]): Promise<void>
  /** Types a command and presses Enter. */
  enter(command: string): Promise<void>
  screen(): Promise<string>
  /** Waits until the screen matches, and returns the screen. */
  shows(pattern: RegExp): Promise<string>
  close(): Promise<void>
}

type Wanted = { home: Home; shell: readonly string[]; columns?: number }

export const openTerminal = async ({ home, shell, columns = 80 }: Wanted): Promise<TmuxTerminal> => {
  const socket = `ars-test-${process.pid}-${++count}`
  const tmux = async (...args: string[]): Promise<string> =>
    (await execute('tmux', ['-L', socket, '-f', '/dev/null', ...args], { env })).stdout
  const bin = join(home.folder, 'bin')
  mkdirSync(bin, { recursive: true })
  const program = join(import.meta.dirname, '../src/main.ts')
  writeFileSync(join(bin, 'ars'), `#!/bin/sh\nexec '${process.execPath}' '${program}' "$@"\n`, { mode: 0o755 })
  const env = {
    ...home.env,
    PATH: `${bin}:${home.env.PATH}`,
    LANG: 'C.UTF-8',
    HISTFILE: '/dev/null',
    TERM: 'xterm-256color',
    PS1: '$ ',
  }
  const size = ['-x', String(columns), '-y', '40']
  await tmux('new-session', '-d', ...size, ...shell)
  const screen = (): Promise<string> => tmux('capture-pane', '-p', '-t', '0')
  const terminal: TmuxTerminal = {
    screen,
    type: async (text) => void (await tmux('send-keys', '-t', '0', '-l', '--', text)),
    press: async (...keys) => void (await tmux('send-keys', '-t', '0', ...keys)),
    enter: async (command) => {
      await terminal.type(command)
      await terminal.press('Enter')
    },
    shows: async (pattern) => {
      let last = ''
      return await until(`${pattern}`, async () => {
        last = await screen()
        return pattern.test(last) && last
      }).catch((error: unknown) => {
        throw new Error(`The terminal does not show ${pattern}:\n${last}`, { cause: error })
      })
    },
    close: async () => void (await tmux('kill-server').catch(() => undefined)),
  }
  return terminal
}
