import { mkdirSync, rmSync } from 'node:fs'
import { readSelfTimes } from '../../lab/measure/cpu-profile.ts'
import { perSecond, type Tell } from '../../lab/measure/rounds.ts'
import { countingSettings, countStatements } from '../../lab/measure/statements.ts'
import { selfTimeTables, statementTable } from '../../lab/report/profile-tables.ts'
import { table } from '../../lab/report/table.ts'
import { bareControl, webhooksLoad } from './load.ts'
import type { WebhooksOptions } from './options.ts'
import { startWebhooksSubject } from './subject.ts'

/** Says where the CPU time of a delivery goes. The profiler and the counting cost time themselves: no throughput from here. */
export const profileWebhooks = async (options: WebhooksOptions, base: number, tell: Tell): Promise<string> => {
  const dir = `${options.dir}-profile`
  rmSync(dir, { recursive: true, force: true })
  mkdirSync(dir, { recursive: true })
  tell('Starting the stack with profilers')
  const subject = await startWebhooksSubject({
    ...options,
    base,
    postgresSettings: countingSettings,
    workerEnv: { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dir}` },
  })
  try {
    const load = webhooksLoad(subject, bareControl(subject))
    const order = { side: 'service', callers: 10 * options.endpoints, leadInMs: 0 } as const
    await load.run({ ...order, lengthMs: options.size.windowMs })
    const counter = await countStatements(subject.stack.postgres.superuserUrl('ars'))
    await counter.reset()
    tell('Measuring')
    const window = await load.run({ ...order, lengthMs: 2 * options.size.windowMs })
    const statements = await counter.read()
    await counter.close()
    tell('Stopping the worker, which writes its profile')
    await subject.stopServers()
    const { busyMs, functions, owners } = readSelfTimes(dir)
    const cpu = Object.entries(window.cpu.parts).map(([part, ms]) => [part, ((1000 * ms) / window.answers).toFixed(0)])
    return `# Profile of webhook deliveries

Made by \`${options.command}\`, with the profilers on: ${perSecond(window).toFixed(0)} deliveries/s. Shares tell where time goes; for throughput see the report without profilers.

## CPU in µs a delivery
${table(['process', 'µs'], cpu)}

## Worker: self time of ${busyMs.toFixed(0)} ms, start and warm-up included

${selfTimeTables({ functions, owners })}

## Postgres, costliest statements (wall clock inside the server)

${statementTable(statements, 'delivery', window.answersInAll)}
`
  } finally {
    await subject.stop()
  }
}
