import { readFileSync } from 'node:fs'
import { type ApiCall, type ApiCaller, apiCaller } from '../../lab/client/api-caller.ts'
import { countingSettings } from '../../lab/measure/statements.ts'
import { logLevel, openFreshStack } from '../../lab/stack/fresh-stack.ts'
import { type Organisation, organisationOf, plantOrganisation, setConcurrency } from '../../lab/stack/organisation.ts'
import { openSql, type Sql } from '../../lab/stack/sql.ts'
import type { Seed } from '../../lab/stack/temporary-stack.ts'
import type { BackgroundOptions } from './options.ts'

/** A gateway, a worker, and two organisations. */
export type Subject = {
  /** It has the background work and interactive runs. */
  own: Customer
  /** It has interactive runs only. */
  other: Customer
  sql: Sql
  superuserUrl: string
}

export type Customer = Organisation & {
  /** Answers the body of a 2xx answer; all others throw. */
  ask<Body>(call: ApiCall): Promise<Body>
  caller: ApiCaller
  authorization: Readonly<Record<string, string>>
}

export const withSubject = async <Result>(
  { dir, concurrentRuns }: BackgroundOptions,
  base: number,
  work: (subject: Subject) => Promise<Result>,
): Promise<Result> => {
  const { stack, dispose } = await openFreshStack({ dir, base, postgresSettings: countingSettings })
  const closers: (() => Promise<void> | void)[] = [dispose]
  try {
    await stack.start()
    await stack.command(['migrate'])
    const seed = JSON.parse(await stack.command(['admin', 'seed', '--json'])) as Seed
    // No role of the service may read everything that is counted here.
    const superuserUrl = stack.postgres.superuserUrl('ars')
    const sql = openSql(superuserUrl)
    closers.push(() => sql.close())
    const first = organisationOf('own', seed)
    const second = await plantOrganisation(stack, 'other', { records: sql, like: first })
    for (const organisation of [first, second]) await setConcurrency(sql, organisation, concurrentRuns)
    const env = { ARS_LOG_LEVEL: logLevel, ARS_TEST_STACK: 'true' }
    for (const role of ['gateway', 'worker'] as const) await stack.server({ role, index: 1, env }).start()
    const ca = readFileSync(stack.tls.certFile)
    const customerOf = (organisation: Organisation): Customer => {
      const caller = apiCaller({ port: stack.ports.gateway[0] ?? 0, ca })
      closers.push(() => caller.close())
      const authorization = { authorization: `Bearer ${organisation.apiKey}` }
      return {
        ...organisation,
        caller,
        authorization,
        ask: async <Body>(call: ApiCall): Promise<Body> => {
          const { status, text } = await caller.call({ ...call, headers: authorization }, { timeoutMs: 120_000 })
          if (status > 299) throw new Error(`${call.method} ${call.path} answered ${status}: ${text.slice(0, 300)}`)
          return JSON.parse(text) as Body
        },
      }
    }
    return await work({
      own: customerOf(first),
      other: customerOf(second),
      sql,
      superuserUrl,
    })
  } finally {
    for (const close of closers.toReversed()) await close()
  }
}
