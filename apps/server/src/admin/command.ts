import type { ParseArgsConfig } from 'node:util'
import { Email, OrganisationId, type Plan, plans } from '@ars/contract'
import { toUuid } from '@ars/platform/id'

/** Something that the operator can do at the command line, as data: the help is made from it. */
export type Command = {
  /** The options as the help shows them. */
  readonly usage: string
  /** What it does, in a line. */
  readonly does: string
  readonly options: NonNullable<ParseArgsConfig['options']>
  /** A word that may follow the command's name comes in `values` under this name. */
  readonly argument?: string
  run(env: NodeJS.ProcessEnv, values: Values): Promise<number>
}

export type Values = Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>

/** The command was called wrongly; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export const optional = (values: Values, name: string): string | undefined => {
  const value = values[name]
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined
}

export const required = (values: Values, name: string): string => {
  const value = optional(values, name)
  if (value === undefined) throw new UsageError(`--${name} is needed`)
  return value
}

/** As the UUID that the database keeps. */
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
  if (!plan) throw new UsageError(`--plan: there is no plan ${name}, only ${Object.keys(plans).join(', ')}`)
  return plan
}

export const numberOf = (values: Values, name: string): number | undefined => {
  const text = optional(values, name)
  if (text === undefined) return undefined
  if (!/^[0-9]{1,12}$/.test(text)) throw new UsageError(`--${name}: ${text} is not a whole number`)
  return Number(text)
}

/** For programs as one line of JSON, for people as lines. */
export const tell = (values: Values, facts: unknown, lines: readonly string[]): number => {
  process.stdout.write(values.json === true ? `${JSON.stringify(facts)}\n` : lines.map((line) => `${line}\n`).join(''))
  return 0
}
