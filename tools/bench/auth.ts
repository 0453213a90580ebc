import { mkdirSync, rmSync } from 'node:fs'
import { reserveFreeBlock } from '../dev/parts/ports.ts'
import { wrkLoad } from './auth-load.ts'
import { type AuthOptions, readAuthOptions } from './auth-options.ts'
import { type AuthFigures, authProfileReport, authReport, isRight } from './auth-report.ts'
import { type AuthSubject, startAuthSubject } from './auth-subject.ts'
import { readSelfTimes } from './cpu-profile.ts'
import { compare, compareWithItself } from './rounds.ts'
import { tell, writeReport } from './telling.ts'

export { authHelp } from './auth-options.ts'

/** The clients have the other core for themselves. */
const clientCore = 1

export async function benchAuth(args: readonly string[]): Promise<boolean> {
  const options = readAuthOptions(args)
  const block = options.base === undefined ? await reserveFreeBlock() : undefined
  const base = options.base ?? block?.base ?? 0
  try {
    if (options.isProfile) {
      writeReport(options, await profile(options, base))
      return true
    }
    const figures = await measure(options, base)
    writeReport(options, authReport(figures))
    return isRight(figures)
  } finally {
    await block?.release()
  }
}

async function measure(options: AuthOptions, base: number): Promise<AuthFigures> {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, a gateway and the control')
  const subject = await startAuthSubject(options, base)
  try {
    const { bare, allowed, refused } = subject.targets
    const pinning = { core: options.isPinned ? clientCore : undefined }
    const window = { callers: options.connections }
    const before = await subject.remaining()
    tell('The control against itself')
    const againstBare = wrkLoad({ control: bare, service: allowed }, subject.watched, pinning)
    const self = { ...options.size, rounds: options.selfRounds }
    const itself = await compareWithItself(againstBare, window, self, tell)
    tell('The gateway against the control')
    const read = await compare(againstBare, 'service', window, options.size, tell)
    tell('A refused request against an allowed one')
    const againstAllowed = wrkLoad({ control: allowed, service: refused }, subject.watched, pinning)
    const refusal = await compare(againstAllowed, 'service', window, options.size, tell)
    const counted = before - (await subject.remaining())
    return { options, startedAt, bodyBytes: subject.bodyBytes, itself, read, refusal, counted }
  } finally {
    await subject.stop()
  }
}

async function profile(options: AuthOptions, base: number): Promise<string> {
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

async function callAlone(subject: AuthSubject, which: 'allowed' | 'refused', options: AuthOptions): Promise<void> {
  const target = subject.targets[which]
  const load = wrkLoad({ control: target, service: target }, subject.watched, { core: undefined })
  const lengthMs = options.size.rounds * options.size.windowMs
  await load.run({ side: 'service', callers: options.connections, leadInMs: 1000, lengthMs })
}
