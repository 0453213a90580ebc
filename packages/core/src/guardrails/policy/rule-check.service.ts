import { limits, type RuleInput } from '@ars/contract'
import type { Keyring } from '@ars/platform/envelope'
import type { ThreadPool } from '@ars/platform/thread-pool'
import { Fault } from '../../fault.ts'
import type { Schemas } from '../../schemas/index.ts'
import type { CheckProblem } from '../check/check-problem.service.ts'
import { findCheckProblems } from '../check/check-problems.service.ts'
import type { Rule } from '../rule.ts'
import { type OutsideDeps, problemsOfExpression, problemsOfUrl } from '../rule-problems.service.ts'
import { canTake } from './stream-delay.service.ts'

export type RuleCheckDeps = OutsideDeps & {
  threads: Pick<ThreadPool, 'run'>
  schemas: Pick<Schemas, 'checkSchema'>
  models: { find(model: string): unknown }
  /** Undefined: the operator has configured no key. */
  keyring: Keyring | undefined
}

/** The field of the request that a path within the rule at this position stands for. */
export type Place = (at: number, path: string) => string

const inRules: Place = (at, path) => `rules.${at}.${path}`

/** The rules as they are stored, or a refusal that names every problem. It can wait for a thread, so no transaction may be open. */
export const requireRules = async (
  deps: RuleCheckDeps,
  org: string,
  given: readonly RuleInput[],
  place: Place = inRules,
): Promise<Rule[]> => {
  const rules = given.map(({ id, ...rule }, at) => ({ ...rule, id: id ?? `rule_${at + 1}` }) as Rule)
  if (Buffer.byteLength(JSON.stringify(rules)) > limits.policyRulesBytes) {
    const message = `The rules are more than ${limits.policyRulesBytes} bytes of JSON`
    throw new Fault('policy_invalid', `rules: ${message}`, { param: 'rules', details: [{ param: 'rules', message }] })
  }
  const details: { param: string; message: string }[] = []
  const problemsAt = await findCheckProblems(deps.threads, org, rules)
  for (const [at, rule] of rules.entries()) {
    const problems = [
      ...plainProblems(rules, at),
      ...keyProblems(deps, rule),
      ...(problemsAt[at] ?? []),
      ...(await problemsOf(deps, org, rule)),
    ]
    details.push(...problems.map(({ path, message }) => ({ param: place(at, path), message })))
  }
  const [first] = details
  if (first) throw new Fault('policy_invalid', `${first.param}: ${first.message}`, { param: first.param, details })
  return rules
}

/** Problems that need no compiler. */
const plainProblems = (rules: readonly Rule[], at: number): CheckProblem[] => {
  const { id, check, action, stages } = rules[at] as Rule
  const problems: CheckProblem[] = []
  if (rules.findIndex((other) => other.id === id) < at)
    problems.push({ path: 'id', message: 'is used by another rule' })
  if (new Set(stages).size < stages.length) problems.push({ path: 'stages', message: 'names a stage twice' })
  if (!canTake(check, action))
    problems.push({ path: 'action', message: `cannot be redact: ${check} judges the whole and finds no pieces` })
  return problems
}

/** A run must not fail later because values cannot be numbered, or content cannot be sealed. */
const keyProblems = ({ keyring }: RuleCheckDeps, { action, stages }: Rule): CheckProblem[] => {
  if (keyring) return []
  const advice = 'This installation has no encryption key. Ask the operator to set ARS_KEK_FILE'
  if (action === 'redact')
    return inField('action', [`cannot be redact: hidden values are numbered by a keyed hash. ${advice}`])
  if (action === 'require_approval' && stages.some((stage) => stage !== 'input' && stage !== 'action_payload'))
    return inField('action', [`cannot be require_approval at these stages: held content is sealed. ${advice}`])
  return []
}

const problemsOf = async (deps: RuleCheckDeps, org: string, rule: Rule): Promise<CheckProblem[]> => {
  switch (rule.check) {
    case 'json_schema':
      return inField('params.schema', await deps.schemas.checkSchema(org, rule.params.schema))
    case 'expression':
      return inField('params.expression', await problemsOfExpression(deps, org, rule.params.expression))
    case 'model':
      return deps.models.find(rule.params.model)
        ? []
        : inField('params.model', ['is not a model that the operator of the service has enabled'])
    case 'http':
    case 'presidio':
      return inField('params.url', await problemsOfUrl(deps, rule.params.url))
    default:
      return []
  }
}

const inField = (path: string, messages: readonly string[]): CheckProblem[] =>
  messages.map((message) => ({ path, message }))
