import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSelfTimes, type SelfTime, type SelfTimes } from './cpu-profile.ts'
import { startLoad, type WindowResult } from './load.ts'
import { recordSymbols } from './perf.ts'
import { perSecond, type Tell } from './rounds.ts'
import type { RunsOptions } from './runs-options.ts'
import { countingSettings, countStatements, type StatementCost } from './statements.ts'
import { type Subject, startSubject } from './subject.ts'
import { table } from './table.ts'

/** Says where the CPU time of a run goes. The profiler and the counting cost time themselves: no throughput from here. */
export async function profileRuns(options: RunsOptions, base: number, tell: Tell): Promise<string> {
  const callers = Math.max(...options.callers)
  const root = `${options.dir}-profile`
  const profiles = { gateway: join(root, 'gateway'), worker: join(root, 'worker') }
  rmSync(root, { recursive: true, force: true })
  for (const dir of Object.values(profiles)) mkdirSync(dir, { recursive: true })
  tell('Starting the stack with profilers')
  const subject = await startSubject({
    dir: options.dir,
    base,
    postgresSettings: countingSettings,
    gatewayEnv: profiling(profiles.gateway),
    workerEnv: profiling(profiles.worker),
  })
  try {
    const measured = await measure(subject, options, callers, root, tell)
    tell('Stopping the servers, which write their profiles')
    await subject.stopServers()
    const times = { gateway: readSelfTimes(profiles.gateway), worker: readSelfTimes(profiles.worker) }
    return reportOf(callers, measured, times)
  } finally {
    await subject.stop()
  }
}

interface Measured {
  window: WindowResult
  statements: StatementCost[]
  /** Only where `perf` is at hand. */
  symbols: Record<'postgres' | 'restate', string | undefined>
}

async function measure(
  subject: Subject,
  options: RunsOptions,
  callers: number,
  root: string,
  tell: Tell,
): Promise<Measured> {
  const load = await startLoad(subject.targets, subject.watched)
  const counter = await countStatements(subject.stack.postgres.superuserUrl('ars'))
  try {
    tell(`Warming up, ${callers} callers`)
    await load.run({ side: 'service', callers, leadInMs: 0, lengthMs: options.warmUpMs })
    await counter.reset()
    tell('Measuring')
    const { postgres, restate } = subject.watched
    const lengthMs = 2 * options.size.windowMs
    const [window, ...symbols] = await Promise.all([
      load.run({ side: 'service', callers, leadInMs: 0, lengthMs }),
      recordSymbols(postgres?.(), join(root, 'postgres.perf'), lengthMs / 1000),
      recordSymbols(restate?.(), join(root, 'restate.perf'), lengthMs / 1000),
    ])
    await sleep(500)
    return { window, statements: await counter.read(), symbols: { postgres: symbols[0], restate: symbols[1] } }
  } finally {
    load.close()
    await counter.close()
  }
}

function profiling(dir: string): NodeJS.ProcessEnv {
  return { NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --cpu-prof --cpu-prof-dir=${dir}`.trim() }
}

function reportOf(
  callers: number,
  { window, statements, symbols }: Measured,
  times: Record<'gateway' | 'worker', SelfTimes>,
): string {
  const cpu = Object.entries(window.cpu.parts).map(([part, ms]) => [part, (ms / window.answers).toFixed(3)])
  return `# Profile of POST /runs on test-echo, ${callers} callers

Made by \`pnpm bench runs --profile\`, with the profilers on: ${perSecond(window).toFixed(0)} runs/s, p50 ${window.latencyMs.p50.toFixed(1)} ms. Shares tell where time goes; for throughput see the report without profilers.

## CPU in ms per run
${table(['process', 'ms'], cpu)}

${(['gateway', 'worker'] as const).map((name) => selfTimes(name, times[name])).join('\n\n')}

## Postgres, costliest statements (wall clock inside the server)
${table(
  ['calls/run', 'plan ms', 'run ms', 'ms a call', 'WAL bytes', 'statement'],
  statements.map(({ text, calls, planMs, runMs, meanMs, walBytes }) => [
    (calls / window.answersInAll).toFixed(2),
    planMs.toFixed(0),
    runMs.toFixed(0),
    meanMs.toFixed(3),
    walBytes.toFixed(0),
    `\`${text.slice(0, 90)}\``,
  ]),
)}

${(['postgres', 'restate'] as const).map((name) => symbolTable(name, symbols[name])).join('\n\n')}
`
}

function symbolTable(name: string, symbols: string | undefined): string {
  return `## ${name}: samples by program and function

${symbols === undefined ? '`perf` is not at hand.' : `\`\`\`\n${symbols}\n\`\`\``}`
}

function selfTimes(name: string, { busyMs, functions, owners }: SelfTimes): string {
  const rows = (times: readonly SelfTime[], count: number): string[][] =>
    times.slice(0, count).map((time) => [`${(time.share * 100).toFixed(1)} %`, time.ms.toFixed(0), time.name])
  return `## ${name}: self time of ${busyMs.toFixed(0)} ms, start and warm-up included

By package or own file, the time of Node and of native code given to whoever called it:

${table(['share', 'ms', 'owner'], rows(owners, 25))}

By function, what it called left out:

${table(['share', 'ms', 'function'], rows(functions, 30))}`
}
