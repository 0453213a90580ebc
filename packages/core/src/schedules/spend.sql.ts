/** The month that a cost belongs to: the month of the statement that counts it, in UTC. */
export const spendMonth = `date_trunc('month', app_now() at time zone 'utc')::date`

/** What a schedule has spent this month. `table` is its name in the statement. */
export const spentThisMonth = (table: string): string =>
  `(case when ${table}.spent_month = ${spendMonth} then ${table}.spent_usd else 0 end)::float8`
