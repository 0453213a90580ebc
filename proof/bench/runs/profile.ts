import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { readSelfTimes, type SelfTimes } from '../../lab/measure/cpu-profile.ts'
import type { WindowResult } from '../../lab/measure/load.ts'
import { perSecond, type Tell } from '../../lab/measure/rounds.ts'
import { countingSettings, countStatements, type StatementCost } from '../../lab/measure/statements.ts'
import { selfTimeTables, statementTable } from '../../lab/report/profile-tables.ts'
import { table } from '../../lab/report/table.ts'
import { startLoad } from './load.ts'
import type { RunsOptions } from './options.ts'
import { recordSymbols } from './perf.ts'
import { type Subject, startSubject } from './subject.ts'

/** Says where the CPU time of a run goes. The profiler and the counting cost time themselves: no throughput from here. */
export const profileRuns = async (options: RunsOptions, base: number, tell: Tell): Promise<string> => {
  const callers = Math.max(...options.callers)
  const root = `${options.dir}-profile`
  const profiles = { gateway: join(root, 'gateway'), worker: join(root, 'worker') }
  rmSync(root, { recursive: true, force: true })
  for (const dir of Object.values(profiles)) mkdirSync(dir, { recursive: true })
  tell('Starting the stack with profilers')
  const subject = await startSubject({
    dir: options.dir,
    base,
    organisations: options.organisations,
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

type Measured = {
  window: WindowResult
  statements: StatementCost[]
  /** Only where `perf` is at hand. */
  symbols: Record<'postgres' | 'restate', string | undefined>
}

const measure = async (
  subject: Subject,
  options: RunsOptions,
  callers: number,
  root: string,
  tell: Tell,
): Promise<Measured> => {
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

const profiling = (dir: string): NodeJS.ProcessEnv => ({
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --cpu-prof --cpu-prof-dir=${dir}`.trim(),
})

const reportOf = (
  callers: number,
  { window, statements, symbols }: Measured,
  times: Record<'gateway' | 'worker', SelfTimes>,
): string => {
  const cpu = Object.entries(window.cpu.parts).map(([part, ms]) => [part, (ms / window.answers).toFixed(3)])
  return `# Profile of POST /runs on test-echo, ${callers} callers

Made by \`pnpm bench runs --profile\`, with the profilers on: ${perSecond(window).toFixed(0)} runs/s, p50 ${window.latencyMs.p50.toFixed(1)} ms. Shares tell where time goes; for throughput see the report without profilers.

## CPU in ms per run
${table(['process', 'ms'], cpu)}

${(['gateway', 'worker'] as const).map((name) => selfTimes(name, times[name])).join('\n\n')}

## Postgres, costliest statements (wall clock inside the server)
${statementTable(statements, 'run', window.answersInAll)}

${(['postgres', 'restate'] as const).map((name) => symbolTable(name, symbols[name])).join('\n\n')}
`
}

const symbolTable = (name: string, symbols: string | undefined): string => `## ${name}: samples by program and function

${symbols === undefined ? '`perf` is not at hand.' : `\`\`\`\n${symbols}\n\`\`\``}`

const selfTimes = (name: string, { busyMs, functions, owners }: SelfTimes): string => {
  return `## ${name}: self time of ${busyMs.toFixed(0)} ms, start and warm-up included

${selfTimeTables({ functions, owners })}`
}
