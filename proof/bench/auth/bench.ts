import { mkdirSync, rmSync } from 'node:fs'
import { readSelfTimes } from '../../lab/measure/cpu-profile.ts'
import { compare, compareWithItself } from '../../lab/measure/rounds.ts'
import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { printReport, tell } from '../../lab/report/progress.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { wrkLoad } from './load.ts'
import { type AuthOptions, readAuthOptions } from './options.ts'
import { type AuthMetrics, authProfileReport, authReport, isRight, outcomeOf } from './report.ts'
import { type AuthSubject, startAuthSubject } from './subject.ts'

export { authHelp } from './options.ts'

/** The clients have the other core for themselves. */
const clientCore = 1

export const benchAuth = async (args: readonly string[]): Promise<boolean> => {
  const options = readAuthOptions(args)
  return withPortBlock(options.base, async (base) => {
    if (options.isProfile) {
      printReport(await profile(options, base))
      return true
    }
    const metrics = await measure(options, base)
    printReport(authReport(metrics))
    keepOutcome({ proof: 'bench-auth', size: sizeOf(options), outcome: outcomeOf(metrics) })
    return isRight(metrics)
  })
}

const measure = async (options: AuthOptions, base: number): Promise<AuthMetrics> => {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, a gateway and the control')
  const subject = await startAuthSubject(options, base)
  try {
    const { bare, allowed, refused } = subject.targets
    const pinning = { core: options.isPinned ? clientCore : undefined }
    const window = { callers: options.connections }
    const before = await subject.remaining()
    tell('Comparing the control with itself')
    const againstBare = wrkLoad({ control: bare, service: allowed }, subject.watched, pinning)
    const self = { ...options.size, rounds: options.selfRounds }
    const itself = await compareWithItself(againstBare, window, self, tell)
    tell('Comparing the gateway with the control')
    const read = await compare(againstBare, 'service', window, options.size, tell)
    tell('Comparing a refused request with an allowed one')
    const againstAllowed = wrkLoad({ control: allowed, service: refused }, subject.watched, pinning)
    const refusal = await compare(againstAllowed, 'service', window, options.size, tell)
    const counted = before - (await subject.remaining())
    return { options, startedAt, bodyBytes: subject.bodyBytes, itself, read, refusal, counted }
  } finally {
    await subject.stop()
  }
}

const profile = async (options: AuthOptions, base: number): Promise<string> => {
  const parts: string[] = []
  for (const which of ['allowed', 'refused'] as const) {
    const dir = `${options.dir}-profile`
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(dir, { recursive: true })
    const env = { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${dir}` }
    const subject = await startAuthSubject(options, base, env)
    try {
      tell(`The gateway, ${which}`)
      await callAlone(subject, which, options)
      await subject.stopServers()
      parts.push(authProfileReport(which, readSelfTimes(dir)))
    } finally {
      await subject.stop()
    }
  }
  return parts.join('\n')
}

const callAlone = async (subject: AuthSubject, which: 'allowed' | 'refused', options: AuthOptions): Promise<void> => {
  const target = subject.targets[which]
  const load = wrkLoad({ control: target, service: target }, subject.watched, { core: undefined })
  const lengthMs = options.size.rounds * options.size.windowMs
  await load.run({ side: 'service', callers: options.connections, leadInMs: 1000, lengthMs })
}
