import { reserveFreeBlock } from '../dev/parts/ports.ts'
import { measureCase, type StreamCaseFigures } from './stream-case.ts'
import { startStreamLoad } from './stream-load.ts'
import { readStreamOptions } from './stream-options.ts'
import { profileStreams } from './stream-profile.ts'
import { streamReportOf } from './stream-report.ts'
import { startStreamSubject } from './stream-subject.ts'
import { keepReport, tell, writeReport } from './telling.ts'

export { streamHelp } from './stream-options.ts'

export async function benchStream(args: readonly string[]): Promise<boolean> {
  const options = readStreamOptions(args)
  const block = options.base === undefined ? await reserveFreeBlock() : undefined
  const base = options.base ?? block?.base ?? 0
  const startedAt = new Date()
  tell('Starting Postgres, Redis, Restate and a worker')
  const subject = await startStreamSubject({ dir: options.dir, base })
  try {
    const load = await startStreamLoad(subject.setup)
    try {
      if (options.isProfile) {
        writeReport(options, await profileStreams({ subject, load, options, tell }))
        return true
      }
      const cases: StreamCaseFigures[] = []
      for (const protocol of options.protocols) {
        for (const runs of options.runs) {
          cases.push(await measureCase({ protocol, runs }, { subject, load, options, tell }))
          // After each case: a measurement that is interrupted keeps what it has.
          keepReport(options, streamReportOf({ options, startedAt, cases }))
        }
      }
      writeReport(options, streamReportOf({ options, startedAt, cases }))
      return cases.every(({ correctness }) => correctness.service.isRight && correctness.control.isRight)
    } finally {
      load.close()
    }
  } finally {
    await subject.stop()
    await block?.release()
  }
}
