import { Config } from '@ars/core/config'
import { type Rebuilt, rebuildDay } from '@ars/core/usage'
import { parseConfig } from '@ars/platform/config'
import { serverBounds } from '../bounds.ts'
import { type Command, required, tell, UsageError, type Values } from './command.ts'
import { openSystem } from './with-services.ts'

const dayMs = 86_400_000

/** `admin rollup-rebuild`: counts the figures of usage and analytics again, from the runs that are still kept. */
export const rollupRebuild: Command = {
  usage: '--from YYYY-MM-DD --to YYYY-MM-DD [--json]',
  does: 'count usage figures again from kept runs (UTC days, both included)',
  options: { from: { type: 'string' }, to: { type: 'string' }, json: { type: 'boolean' } },
  run: async (env, values) => {
    const days = daysOf(values)
    const system = openSystem(parseConfig(Config, env))
    try {
      const rebuilt: { date: string; result: Rebuilt }[] = []
      for (const day of days) {
        const date = day.toISOString().slice(0, 10)
        const result = await rebuildDay(system, day)
        rebuilt.push({ date, result })
        // A day can take minutes, so each is reported when it is done.
        if (values.json !== true) process.stdout.write(`${date}  ${inWords(result)}\n`)
      }
      const failed = rebuilt.filter(({ result }) => result.kind !== 'rebuilt').length
      const difference = rebuilt.reduce((sum, { result }) => sum + differenceOf(result), 0)
      const words = `${days.length - failed} of ${days.length} days rebuilt, difference ${difference} runs.`
      tell(values, { days: rebuilt.map(({ date, result }) => ({ date, ...result })), difference }, [words])
      return failed === 0 ? 0 : 1
    } finally {
      await system.close()
    }
  },
}

const maxDays = serverBounds.daysRebuilt.count

const daysOf = (values: Values): Date[] => {
  const [from, to] = [dayOf(values, 'from'), dayOf(values, 'to')]
  const count = (to.getTime() - from.getTime()) / dayMs + 1
  if (count < 1) throw new UsageError('--to: is before --from')
  if (count > maxDays) throw new UsageError(`--to: at most ${maxDays} days at once`)
  return Array.from({ length: count }, (_, n) => new Date(from.getTime() + n * dayMs))
}

const dayOf = (values: Values, name: string): Date => {
  const text = required(values, name)
  const day = new Date(`${text}T00:00:00Z`)
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text) || Number.isNaN(day.getTime()))
    throw new UsageError(`--${name}: ${text} is not a date such as 2026-11-01`)
  return day
}

const differenceOf = (result: Rebuilt): number => (result.kind === 'rebuilt' ? result.after - result.before : 0)

const inWords = (result: Rebuilt): string => {
  if (result.kind === 'busy') return 'not rebuilt: a worker is counting; repeat the command'
  if (result.kind === 'not kept') return `not rebuilt: ${result.missing} or more of its runs are deleted`
  const cost = result.costAfter - result.costBefore
  return `${result.after} runs, difference ${differenceOf(result)} runs and ${cost.toFixed(6)} USD`
}
