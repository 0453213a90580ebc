import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { openPassed, type Passed } from './passed.ts'
import { changedFiles, fileKeysOf, keyOf, readSnapshot, type Snapshot } from './snapshot.ts'
import type { Step } from './steps.ts'

export type CheckOptions = {
  readonly root: string
  /** Runs every step, whatever passed before, and no tool reuses its last result. */
  readonly isAll?: boolean
  /** Leaves out the steps that read no file that differs from main. */
  readonly isChanged?: boolean
  say(line: string): void
}

type Outcome = { readonly code: number; readonly output: string; readonly ms: number; readonly cpuSeconds: number }

// No tool reports home or looks for a newer version: a check must pass without a network.
const quiet = {
  REDOCLY_TELEMETRY: 'off',
  REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  SCARF_ANALYTICS: 'false',
}

/** Runs the steps whose input has changed since they last passed. Answers the steps that failed, with their output. */
export const runSteps = async (steps: readonly Step[], { root, isAll, isChanged, say }: CheckOptions) => {
  const before = readSnapshot(root)
  const passed = openPassed(root)
  const changed = isChanged ? changedFiles(root) : undefined
  const failed: { step: Step; output: string }[] = []
  const succeeded: Step[] = []
  const wanted = steps.flatMap((step) => prepare(step, root, changed))
  const due = wanted.filter((step) => isAll || !passed.has(step.name, keyOf(step, before)))
  const waiting = due.map((step) => (isAll || changed ? step : withoutPassedFiles(step, before, passed)))
  for (const { name } of steps.filter((step) => !waiting.some(({ name }) => name === step.name))) say(`same  ${name}`)
  const work = async (): Promise<void> => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const { code, output, ms, cpuSeconds } = await run(root, step, isAll ?? false)
      const seconds = `${(ms / 1000).toFixed(1)} s, ${cpuSeconds.toFixed(1)} CPU s`
      say(`${code === 0 ? 'ok  ' : 'FAIL'}  ${step.name.padEnd(16)} ${seconds}`)
      if (code === 0) succeeded.push(step)
      else failed.push({ step, output })
    }
  }
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, work))
  // A file that changed meanwhile may have been read in either state. Such a step has proven neither of them.
  const after = succeeded.length > 0 ? readSnapshot(root) : before
  for (const { name } of succeeded) {
    const step = wanted.find((each) => each.name === name)
    if (!step) continue
    const key = keyOf(step, before)
    if (key !== keyOf(step, after)) continue
    passed.add(name, key)
    if (step.takesFiles && !changed) passed.addFiles(name, [...fileKeysOf(step, before).values()])
  }
  return failed
}

/** More single files than these are no quicker than all of them. */
const maxFiles = 200

/** A step that takes files, for those alone that it has not passed as they are now. */
const withoutPassedFiles = (step: Step, snapshot: Snapshot, passed: Passed): Step => {
  if (!step.takesFiles) return step
  const known = passed.filesOf(step.name)
  const keys = fileKeysOf(step, snapshot)
  const left = [...keys].filter(([, key]) => !known.has(key)).map(([path]) => path)
  if (left.length === 0 || left.length === keys.size || left.length > maxFiles) return step
  return { ...step, command: [...step.command, '--no-errors-on-unmatched', ...left] }
}

/** The step as it is to run: with `--changed` not at all, or on the changed files alone where its tool can do so. */
const prepare = (step: Step, root: string, changed: readonly string[] | undefined): Step[] => {
  if (!changed) return [step]
  const files = changed.filter((path) => step.reads(path))
  if (files.length === 0) return []
  const left = files.filter((path) => existsSync(join(root, path)))
  if (!step.takesFiles || left.length === 0) return [step]
  return [{ ...step, command: [...step.command, '--no-errors-on-unmatched', ...left] }]
}

export const run = (root: string, { command, incremental = [] }: Step, isAll = false): Promise<Outcome> =>
  new Promise((resolve) => {
    const began = performance.now()
    const [program = '', ...options] = isAll ? command : [...command, ...incremental]
    const output: string[] = []
    let cpuSeconds = 0
    const child = spawn(program, options, {
      cwd: root,
      env: { NODE_COMPILE_CACHE: join(root, '.cache/compile'), ...process.env, ...quiet },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout.on('data', (chunk) => output.push(String(chunk)))
    child.stderr.on('data', (chunk) => output.push(String(chunk)))
    const end = (code: number): void =>
      resolve({ code, output: output.join(''), ms: performance.now() - began, cpuSeconds })
    child.on('error', (error) => {
      output.push(String(error))
      end(1)
    })
    child.on('exit', () => {
      cpuSeconds = takeCpuSeconds()
    })
    child.on('close', (code) => end(code ?? 1))
  })

let counted = 0

/** CPU seconds of the processes that ended since the last call. Only Linux tells; elsewhere it is 0. */
const takeCpuSeconds = (): number => {
  const total = childCpuSeconds()
  const since = total - counted
  counted = total
  return since
}

const ticksPerSecond = 100

export const childCpuSeconds = (): number => {
  if (process.platform !== 'linux') return 0
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1]?.split(' ') ?? []
  return (Number(fields[13]) + Number(fields[14])) / ticksPerSecond
}
