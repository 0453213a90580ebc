import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { printReport } from '../../lab/report/progress.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { measureBatch } from './batch.ts'
import { measureFanOut } from './fan-out.ts'
import { readBackgroundOptions } from './options.ts'
import { type Figures, outcomeOf, reportOf, verdictsOf } from './report.ts'
import { measureSchedules } from './schedules.ts'
import { withSubject } from './subject.ts'

export { backgroundHelp } from './options.ts'

export const benchBackground = (args: readonly string[]): Promise<boolean> => {
  const options = readBackgroundOptions(args)
  const { parts, isQuick } = options
  return withPortBlock(options.base, (base) =>
    withSubject(options, base, async (subject) => {
      const startedAt = new Date()
      const figures: Figures = {
        ...(parts.includes('fan-out') && { fanOuts: await measureFanOut(subject, options) }),
        ...(parts.includes('batch') && { batch: await measureBatch(subject, options) }),
        ...(parts.includes('schedules') && { schedules: await measureSchedules(subject, options) }),
      }
      printReport(reportOf(options, startedAt, figures))
      keepOutcome({ proof: 'bench-background', size: sizeOf(options), outcome: outcomeOf(figures, options) })
      return verdictsOf(figures, options).every(({ holds, isQuickToo }) => holds || (isQuick && !isQuickToo))
    }),
  )
}
