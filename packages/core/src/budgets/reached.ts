/** The shares of a budget that are announced, in percent. */
const announced = [80, 100] as const

export type ReachedPercent = (typeof announced)[number]

/** The shares to announce. `reached_percent`: the share that was announced last in this month. */
export const reachedPercents = ({
  monthly_usd,
  spent_usd,
  reached_percent,
}: {
  monthly_usd: number
  spent_usd: number
  reached_percent: number
}): ReachedPercent[] =>
  announced.filter((percent) => percent > reached_percent && spent_usd * 100 >= monthly_usd * percent)
