import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { printReport, tell } from '../../lab/report/progress.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { measureCase, type StreamCaseMetrics } from './case.ts'
import { startStreamLoad } from './load.ts'
import { readStreamOptions, type StreamOptions } from './options.ts'
import { profileStreams } from './profile.ts'
import { outcomeOf, streamReportOf } from './report.ts'
import { startStreamSubject } from './subject.ts'

export { streamHelp } from './options.ts'

export const benchStream = async (args: readonly string[]): Promise<boolean> => {
  const options = readStreamOptions(args)
  return withPortBlock(options.base, (base) => measure(options, base))
}

const measure = async (options: StreamOptions, base: number): Promise<boolean> => {
  const startedAt = new Date()
  tell('Starting Postgres, Redis, Restate and a worker')
  const subject = await startStreamSubject({ dir: options.dir, base })
  try {
    const load = await startStreamLoad(subject.setup)
    try {
      if (options.isProfile) {
        printReport(await profileStreams({ subject, load, options, tell }))
        return true
      }
      const cases: StreamCaseMetrics[] = []
      for (const protocol of options.protocols) {
        for (const runs of options.runs) {
          cases.push(await measureCase({ protocol, runs }, { subject, load, options, tell }))
        }
      }
      const metrics = { options, startedAt, cases }
      printReport(streamReportOf(metrics))
      keepOutcome({ proof: 'bench-stream', size: sizeOf(options), outcome: outcomeOf(metrics) })
      return cases.every(({ correctness }) => correctness.service.isRight && correctness.control.isRight)
    } finally {
      load.close()
    }
  } finally {
    await subject.stop()
  }
}
