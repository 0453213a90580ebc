import { mkdirSync, rmSync } from 'node:fs'
import { readSelfTimes, type SelfTime } from './cpu-profile.ts'
import { perSecond, type Tell } from './rounds.ts'
import { countingSettings, countStatements } from './statements.ts'
import { table } from './table.ts'
import { webhooksLoad } from './webhooks-load.ts'
import type { WebhooksOptions } from './webhooks-options.ts'
import { startWebhooksSubject } from './webhooks-subject.ts'

/** Says where the CPU time of a delivery goes. The profiler and the counting cost time themselves: no throughput from here. */
export async function profileWebhooks(options: WebhooksOptions, base: number, tell: Tell): Promise<string> {
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
    const load = webhooksLoad(subject)
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

By package or own file, the time of Node and of native code given to whoever called it:

${table(['share', 'ms', 'owner'], rowsOf(owners, 25))}

By function, what it called left out:

${table(['share', 'ms', 'function'], rowsOf(functions, 25))}

## Postgres, costliest statements (wall clock inside the server)

${table(
  ['calls a delivery', 'plan ms', 'run ms', 'ms a call', 'WAL bytes', 'statement'],
  statements.map(({ text, calls, planMs, runMs, meanMs, walBytes }) => [
    (calls / window.answersInAll).toFixed(3),
    planMs.toFixed(0),
    runMs.toFixed(0),
    meanMs.toFixed(3),
    walBytes.toFixed(0),
    `\`${text.slice(0, 90)}\``,
  ]),
)}
`
  } finally {
    await subject.stop()
  }
}

function rowsOf(times: readonly SelfTime[], count: number): string[][] {
  return times.slice(0, count).map((time) => [`${(time.share * 100).toFixed(1)} %`, time.ms.toFixed(0), time.name])
}
