import { readDurability } from '../../lab/measure/durability.ts'
import { compare, compareWithItself } from '../../lab/measure/rounds.ts'
import { sizeOf } from '../../lab/options.ts'
import { keepOutcome } from '../../lab/report/keep.ts'
import { printReport, tell } from '../../lab/report/progress.ts'
import { withPortBlock } from '../../lab/stack/port-block.ts'
import { loadOf, type Operation } from './load.ts'
import { type ListOptions, readListOptions } from './options.ts'
import { type ListComparison, type ListMetrics, listReport, outcomeOf } from './report.ts'
import { startListSubject } from './subject.ts'

export { listHelp } from './options.ts'

export const benchList = async (args: readonly string[]): Promise<boolean> => {
  const options = readListOptions(args)
  return withPortBlock(options.base, async (base) => {
    const metrics = await measure(options, base)
    printReport(listReport(metrics))
    keepOutcome({ proof: 'bench-list', size: sizeOf(options), outcome: outcomeOf(metrics) })
    return true
  })
}

const measure = async (options: ListOptions, base: number): Promise<ListMetrics> => {
  const startedAt = new Date()
  tell(`Starting the stack and writing ${options.rows.toLocaleString('en')} runs`)
  const subject = await startListSubject(options, base, tell)
  try {
    const { database, https, watched, walked, sizeBytes } = subject
    const durability = await readDurability(subject.stack)
    const window = { callers: 1 }
    const sides = (control: Operation, service: Operation) => loadOf({ control, service }, watched)

    tell('A run by its id against itself, in the database and over HTTPS')
    const self = { ...options.size, rounds: options.selfRounds }
    const itself = {
      database: await compareWithItself(sides(database.oneRun, database.oneRun), window, self, tell),
      https: await compareWithItself(sides(https.oneRun, https.oneRun), window, self, tell),
    }
    const comparisons: ListComparison[] = []
    for (const { control, service, ...rest } of [
      {
        where: 'database',
        what: 'page 1',
        against: 'one row by primary key',
        most: 5,
        control: database.oneRow,
        service: database.page1,
      },
      {
        where: 'database',
        what: 'page 1',
        against: 'one run by its id',
        most: 5,
        control: database.oneRun,
        service: database.page1,
      },
      {
        where: 'database',
        what: 'page 1,000',
        against: 'page 1',
        most: 2,
        control: database.page1,
        service: database.page1000,
      },
      {
        where: 'database',
        what: 'status=failed',
        against: 'page 1',
        control: database.page1,
        service: database.failed,
      },
      { where: 'database', what: 'agent_id', against: 'page 1', control: database.page1, service: database.agent },
      { where: 'database', what: 'metadata[k]', against: 'page 1', control: database.page1, service: database.label },
      {
        where: 'HTTPS',
        what: 'GET /runs?limit=20',
        against: 'GET /runs/{id}',
        most: 5,
        control: https.oneRun,
        service: https.page1,
      },
      { where: 'HTTPS', what: 'page 1,000', against: 'page 1', most: 2, control: https.page1, service: https.page1000 },
    ]) {
      tell(`${rest.where}: ${rest.what} against ${rest.against}`)
      comparisons.push({
        ...rest,
        comparison: await compare(sides(control, service), 'service', window, options.size, tell),
      })
    }
    return { options, startedAt, durability, itself, comparisons, walked, sizeBytes }
  } finally {
    await subject.stop()
  }
}
