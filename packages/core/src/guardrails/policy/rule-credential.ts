import type { Rule } from '../rule.ts'

/** The credentials of the rules of one version, by the id of the rule. */
export type RuleCredentials = Readonly<Record<string, string>>

/** The row that the sealed credentials of a version belong to. */
export const credentialRecord = ({ policyId, version }: { policyId: string; version: number }): string =>
  `policy_versions/${policyId}/${version}`

type HostRule = Extract<Rule, { check: 'http' | 'presidio' }>

/** A rule as it was sent. */
type SentRule = HostRule & { params: { credential?: string | undefined } }

export const isHostRule = (rule: Rule): rule is HostRule => rule.check === 'http' || rule.check === 'presidio'

/** The rules without their credentials, and those that were sent. */
export const takeCredentials = (sent: readonly Rule[]): { rules: Rule[]; given: RuleCredentials } => {
  const given: Record<string, string> = {}
  const rules = sent.map((rule): Rule => {
    if (!isHostRule(rule)) return rule
    const { credential, ...params } = (rule as SentRule).params
    if (credential !== undefined) given[rule.id] = credential
    return { ...rule, params } as Rule
  })
  return { rules, given }
}

export type KeptCredentials = {
  rules: Rule[]
  credentials: RuleCredentials
  /** The positions of rules that need a credential and have none. */
  missing: readonly number[]
}

/**
 * The rules as they are stored, with the credentials that they have then: those that were sent, and those of the version before for
 * a rule with the same id and the same address. A credential never goes to another address than the one it was sent for.
 */
export const keepCredentials = (
  { rules, given }: { rules: readonly Rule[]; given: RuleCredentials },
  before: { rules: readonly Rule[]; credentials: RuleCredentials },
): KeptCredentials => {
  const credentials: Record<string, string> = {}
  const missing: number[] = []
  const stored = rules.map((rule, at): Rule => {
    if (!isHostRule(rule)) return rule
    const { credential_set: wanted, ...params } = rule.params
    const old = before.rules.find(({ id }) => id === rule.id)
    const kept = before.credentials[rule.id]
    const isSame = old !== undefined && isHostRule(old) && old.params.url === rule.params.url
    const credential = given[rule.id] ?? (wanted !== false && isSame ? kept : undefined)
    if (credential === undefined) {
      if (wanted === true || (wanted === undefined && kept !== undefined)) missing.push(at)
      return { ...rule, params } as Rule
    }
    credentials[rule.id] = credential
    return { ...rule, params: { ...params, credential_set: true } } as Rule
  })
  return { rules: stored, credentials, missing }
}
