import { type Plan, plans } from '@ars/contract'
import { validate } from '@ars/platform/validation'
import { parseDocument, stringify } from 'yaml'
import { z } from 'zod'
import { limitNames, limitRanges, type Plans, wireLimits, wireNames } from './plan-limits.ts'

/** The file cannot be used. The message names the plan and the limit. */
export class PlansFileError extends Error {
  override readonly name = 'PlansFileError'
}

const planNames = Object.keys(plans) as Plan[]

const LimitsOfPlan = z.strictObject(
  Object.fromEntries(
    limitNames.map((name) => {
      const [least, most] = limitRanges[name]
      const fault = `must be a whole number from ${least} to ${most}`
      return [wireNames[name], z.int(fault).min(least, fault).max(most, fault).optional()]
    }),
  ),
)

const PlansFile = z.strictObject(Object.fromEntries(planNames.map((name) => [name, LimitsOfPlan.optional()])))

/** A file names the plans and limits that it changes; the others keep the numbers of the contract. `path` is for messages. */
export const parsePlansFile = (text: string, path: string): Plans => {
  const document = parseDocument(text, { prettyErrors: false })
  const [broken] = document.errors
  if (broken) throw new PlansFileError(`${path}: ${broken.message}`)
  const parsed = validate(PlansFile, document.toJS() ?? {})
  if (!('data' in parsed))
    throw new PlansFileError(
      parsed.faults
        .map(({ path: at, message }) => `${path}, ${at.join('.') || 'the whole file'}: ${message}`)
        .join('\n'),
    )
  const given = parsed.data as Partial<Record<Plan, Partial<Record<string, number>>>>
  return Object.fromEntries(
    planNames.map((plan) => [
      plan,
      Object.fromEntries(limitNames.map((name) => [name, given[plan]?.[wireNames[name]] ?? plans[plan][name]])),
    ]),
  ) as Plans
}

/** The plans as such a file. */
export const printPlans = (all: Plans): string =>
  stringify(Object.fromEntries(planNames.map((plan) => [plan, wireLimits(all[plan])])))
