import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { repositoryDir } from '@ars/tools/dev/server'
import { outcomeVariable } from '../lab/report/keep.ts'
import { type Mutant, planted } from './draw.ts'

/** Everything of `pnpm mutants`: the copy, and the verdicts of earlier plays. */
export const mutantsDir = join(repositoryDir, '.dev/mutants')
const copy = join(mutantsDir, 'copy')

/** The status is null after the time limit. */
export type Play = { readonly status: number | null; readonly output: string }

/** A copy of the last commit with its packages. The one of an earlier play is used again. */
export const makeCopy = (): void => {
  const git = (dir: string, ...words: string[]) =>
    execFileSync('git', words, { cwd: dir, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }).trim()
  const head = git(repositoryDir, 'rev-parse', 'HEAD')
  if (existsSync(join(copy, '.git'))) git(copy, 'checkout', '--quiet', '--force', '--detach', head)
  else {
    rmSync(copy, { recursive: true, force: true })
    mkdirSync(mutantsDir, { recursive: true })
    git(repositoryDir, 'worktree', 'prune')
    git(repositoryDir, 'worktree', 'add', '--quiet', '--detach', copy, head)
  }
  execFileSync('pnpm', ['install', '--frozen-lockfile', '--prefer-offline'], { cwd: copy, stdio: 'ignore' })
}

/** Plants a fault for as long as the plays of `judge` take. */
export const withFault = async <Verdict>(mutant: Mutant, judge: () => Promise<Verdict>): Promise<Verdict> => {
  const path = join(copy, mutant.file)
  const text = readFileSync(path, 'utf8')
  writeFileSync(path, planted(text, mutant))
  try {
    return await judge()
  } finally {
    writeFileSync(path, text)
  }
}

/** A command in the copy. Its outcomes are not those of this play. */
export const playInCopy = (args: readonly string[], maxMinutes: number): Promise<Play> =>
  new Promise((resolve) => {
    const { [outcomeVariable]: _, ...env } = process.env
    // A group, so that whatever it started ends with it.
    const child = spawn('pnpm', [...args], {
      cwd: copy,
      env: { ...env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const stop = (): void => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGTERM')
      } catch {
        // The group has ended.
      }
    }
    const forward = (): void => {
      stop()
      process.exit(130)
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, forward)
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(String(chunk)))
    const timer = setTimeout(stop, maxMinutes * 60_000)
    child.on('close', (status) => {
      clearTimeout(timer)
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, forward)
      resolve({ status, output: output.join('') })
    })
  })
