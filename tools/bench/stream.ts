import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { reserveFreeBlock } from '../dev/parts/ports.ts'
import { measureCase, type StreamCaseFigures } from './stream-case.ts'
import { startStreamLoad } from './stream-load.ts'
import { readStreamOptions, type StreamOptions } from './stream-options.ts'
import { profileStreams } from './stream-profile.ts'
import { streamReportOf } from './stream-report.ts'
import { startStreamSubject } from './stream-subject.ts'

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
        write(options, await profileStreams({ subject, load, options, tell }))
        return true
      }
      const cases: StreamCaseFigures[] = []
      for (const protocol of options.protocols) {
        for (const runs of options.runs) {
          cases.push(await measureCase({ protocol, runs }, { subject, load, options, tell }))
          // After each case: a measurement that is interrupted keeps what it has.
          keep(options, streamReportOf({ options, startedAt, cases }))
        }
      }
      write(options, streamReportOf({ options, startedAt, cases }))
      return cases.every(({ correctness }) => correctness.service.isRight && correctness.control.isRight)
    } finally {
      load.close()
    }
  } finally {
    await subject.stop()
    await block?.release()
  }
}

function write(options: StreamOptions, report: string): void {
  console.log(`\n${report}`)
  keep(options, report)
  if (options.reportFile) console.log(`Written to ${options.reportFile}`)
}

function keep({ reportFile }: StreamOptions, report: string): void {
  if (!reportFile) return
  mkdirSync(dirname(reportFile), { recursive: true })
  writeFileSync(reportFile, report)
}

function tell(words: string): void {
  console.log(`${new Date().toISOString().slice(11, 19)}  ${words}`)
}
