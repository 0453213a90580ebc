import type { SelfTime, SelfTimes } from '../measure/cpu-profile.ts'
import type { StatementCost } from '../measure/statements.ts'
import { table } from './table.ts'

const shownOwners = 25
const shownFunctions = 30

/** Where a process spent its time, by owner and by function. */
export const selfTimeTables = ({ functions, owners }: Pick<SelfTimes, 'functions' | 'owners'>): string => {
  const rows = (times: readonly SelfTime[], count: number): string[][] =>
    times.slice(0, count).map((time) => [`${(time.share * 100).toFixed(1)} %`, time.ms.toFixed(0), time.name])
  return `By package or own file; the time of Node and of native code is attributed to its caller:

${table(['share', 'ms', 'owner'], rows(owners, shownOwners))}

By function, without its callees:

${table(['share', 'ms', 'function'], rows(functions, shownFunctions))}`
}

/** The costliest statements; `unit` is what one call is divided by, such as a run. */
export const statementTable = (statements: readonly StatementCost[], unit: string, count: number): string =>
  table(
    [`calls a ${unit}`, 'plan ms', 'run ms', 'ms a call', 'WAL bytes', 'statement'],
    statements.map(({ text, calls, planMs, runMs, meanMs, walBytes }) => [
      (calls / count).toFixed(3),
      planMs.toFixed(0),
      runMs.toFixed(0),
      meanMs.toFixed(3),
      walBytes.toFixed(0),
      `\`${text.slice(0, 90)}\``,
    ]),
  )
