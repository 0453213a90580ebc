import type { ParseArgsConfig } from 'node:util'
import { Email, OrganisationId, type Plan, plans } from '@ars/contract'
import { toUuid } from '@ars/platform/id'

/** A command of the operator, as data. The help is generated from it. */
export type Command = {
  /** The options in the help. */
  readonly usage: string
  /** A one-line description. */
  readonly does: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** The name in `values` of an optional positional argument. */
  readonly argument?: string
  run(env: NodeJS.ProcessEnv, values: Values): Promise<number>
}

export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/** The command line is invalid. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The command cannot do its work. The message tells the operator why, and needs no stack trace. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed'
}

export const optional = (values: Values, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export const required = (values: Values, name: string): string => {
  const value = optional(values, name)
  if (value === undefined) throw new UsageError(`--${name} is required`)
  return value
}

/** The UUID in the database. */
export const organisationOf = (values: Values): string => {
  const id = OrganisationId.safeParse(required(values, 'org'))
  if (!id.success) throw new UsageError(`--org: ${String(values.org)} is not the id of an organisation, org_…`)
  return toUuid(id.data)
}

export const emailOf = (values: Values, name: string): string => {
  const email = Email.safeParse(required(values, name))
  if (!email.success) throw new UsageError(`--${name}: ${String(values[name])} is not an e-mail address`)
  return email.data
}

export const planOf = (name: string): Plan => {
  const plan = (Object.keys(plans) as Plan[]).find((known) => known === name)
  if (!plan) throw new UsageError(`--plan: must be one of ${Object.keys(plans).join(', ')}`)
  return plan
}

export const numberOf = (values: Values, name: string): number | undefined => {
  const text = optional(values, name)
  if (text === undefined) return undefined
  if (!/^[0-9]{1,12}$/.test(text)) throw new UsageError(`--${name}: ${text} is not an integer`)
  return Number(text)
}

/** One line of JSON with `--json`, otherwise lines of text. */
export const tell = (values: Values, facts: unknown, lines: readonly string[]): number => {
  process.stdout.write(values.json === true ? `${JSON.stringify(facts)}\n` : lines.map((line) => `${line}\n`).join(''))
  return 0
}
