import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { reserveFreeBlock } from '@ars/tools/dev/parts/ports'
import { repositoryDir } from '@ars/tools/dev/server'
import type { Watched } from '../../lab/measure/cpu.ts'
import type { Load, Side, WindowResult } from '../../lab/measure/load.ts'
import { printReport, tell } from '../../lab/report/progress.ts'
import { compareReport } from './compare-report.ts'
import { type DoubleRound, judgeRounds } from './compare-rounds.ts'
import { checkCorrectness } from './correctness.ts'
import { attachFiveRules } from './five-rules.ts'
import { startLoad } from './load.ts'
import type { RunsOptions } from './options.ts'
import { startWorktree, type WorktreeService } from './worktree.ts'

// The generator knows two sides. Here the control is the old worktree, and the service is the new one.
const sides = { old: 'control', new: 'service' } as const satisfies Record<string, Side>

/**
 * CPU time per run of two worktrees, both driven by this worktree's generator. Answers whether the new one is not slower
 * and all runs of both were correct.
 */
export const compareWorktrees = async (options: RunsOptions, against: string): Promise<boolean> => {
  const startedAt = new Date()
  const closers: (() => Promise<unknown>)[] = []
  const start = async (name: string, checkout: string, serverEnv: NodeJS.ProcessEnv): Promise<WorktreeService> => {
    tell(`Starting the ${name} worktree, ${checkout}`)
    const block = await reserveFreeBlock()
    closers.push(() => block.release())
    const { organisations } = options
    const place = { checkout, dir: join(options.dir, name), base: block.base }
    const service = await startWorktree({ ...place, organisations, serverEnv })
    closers.push(() => service.stop())
    return service
  }
  try {
    const traced = options.traces === undefined ? {} : await startCollector(options.traces, closers)
    const services = { old: await start('old', against, {}), new: await start('new', repositoryDir, traced) }
    if (options.hasRules) await attachFiveRules(services.new)
    const targets = { control: services.old.target, service: services.new.target }
    const load = await startLoad(targets, { ...named('old', services.old), ...named('new', services.new) })
    const windows = await measure(options, load)
    load.close()
    await sleep(1000) // The last writes of the last runs.
    tell('Looking up every answered run in both databases')
    const correctness = {
      old: await checkCorrectness(services.old.stack.postgres.superuserUrl('ars'), windows, sides.old),
      new: await checkCorrectness(services.new.stack.postgres.superuserUrl('ars'), windows, sides.new),
    }
    const verdict = judgeRounds(windows.rounds)
    const versions = { old: services.old.version, new: services.new.version }
    printReport(compareReport({ options, startedAt, versions, verdict, correctness, rounds: windows.rounds }))
    return verdict.isNotSlower && correctness.old.isRight && correctness.new.isRight
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}

/** It takes every span and keeps none, in this process, whose CPU time does not count. */
const startCollector = async (ratio: string, closers: (() => Promise<unknown>)[]): Promise<NodeJS.ProcessEnv> => {
  const collector = createServer((request, response) => {
    request.resume().once('end', () => response.end())
  })
  await once(collector.listen(0, '127.0.0.1'), 'listening')
  closers.push(async () => collector.close())
  const { port } = collector.address() as AddressInfo
  return {
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: ratio,
  }
}

const named = (name: string, { watched }: WorktreeService): Watched =>
  Object.fromEntries(Object.entries(watched).map(([part, pid]) => [`${name} ${part}`, pid]))

type Windows = { warmUp: WindowResult[]; measured: WindowResult[]; rounds: DoubleRound[] }

const measure = async ({ size, callers: [callers = 16], warmUpMs }: RunsOptions, load: Load): Promise<Windows> => {
  const windows: Windows = { warmUp: [], measured: [], rounds: [] }
  tell(`Warming up, ${callers} callers`)
  for (const side of [sides.old, sides.new]) {
    windows.warmUp.push(await load.run({ side, callers, leadInMs: 0, lengthMs: warmUpMs }))
  }
  const one = async (name: keyof typeof sides): Promise<WindowResult> => {
    const window = await load.run({ side: sides[name], callers, leadInMs: size.leadInMs, lengthMs: size.windowMs })
    windows.measured.push(window)
    return window
  }
  for (let round = 1; round <= size.rounds; round += 2) {
    const first = [await one('old'), await one('new'), await one('new'), await one('old')] as const
    const second = [await one('old'), await one('new'), await one('new'), await one('old')] as const
    windows.rounds.push([first, second])
    const { ratios, self } = judgeRounds([[first, second]])
    const inWords = (values: readonly number[]): string => values.map((value) => value.toFixed(3)).join(', ')
    tell(`rounds ${round} and ${round + 1}: old over new ${inWords(ratios)}; against itself ${inWords(self)}`)
  }
  return windows
}
