import type { Action, Rule, Stage } from '../rule.ts'

/** One attachment of a policy version, as a set holds it. Ids are UUIDs. */
export type SetEntry = {
  policy_id: string
  version: number
  mode: 'enforce' | 'shadow'
  /** In the mode `shadow`: when it ends, in ISO 8601. */
  shadow_until: string | null
  subject_type: 'organisation' | 'agent' | 'api_key'
  /** Of a key, the first key that it was rotated from (`bucket.id` of the caller). */
  subject_id: string
  new_runs_only: boolean
}

/** Everything that is in force in an organisation at one time. It never changes. */
export type PolicySet = { id: string; entries: readonly SetEntry[]; policies: ReadonlyMap<string, readonly Rule[]> }

export const policyKey = ({ policy_id, version }: Pick<SetEntry, 'policy_id' | 'version'>): string =>
  `${policy_id}/${version}`

/** What a text is judged for. `key`: the first of rotated keys; null: a person created the run. `agentId` null: it belongs to no agent. */
export type Scope = { agentId: string | null; keyId: string | null }

export type GuardRule = Rule & {
  policyId: string
  policyVersion: number
  enforced: boolean
  shadowUntil: number | null
}

/**
 * The rules for a run. The rules of its pinned set count, and of the current set the rules that forbid or ask, unless their policy is
 * attached to new runs only. The same rule of the same version counts once, and enforced if it is so anywhere.
 */
export const rulesOf = (
  { pinned, current }: { pinned: PolicySet | null; current: PolicySet | null },
  scope: Scope,
): GuardRule[] => {
  const own = pinned ? rulesIn(pinned, scope, () => true) : []
  if (!current || current.id === pinned?.id) return unique(own)
  const later = rulesIn(current, scope, (entry) => !entry.new_runs_only).filter(({ action }) => reachesRuns.has(action))
  return unique([...own, ...later])
}

/** The actions of new rules that reach runs under way. */
const reachesRuns: ReadonlySet<Action> = new Set(['block', 'require_approval'])

const rulesIn = (set: PolicySet, { agentId, keyId }: Scope, counts: (entry: SetEntry) => boolean): GuardRule[] =>
  set.entries
    .filter(
      (entry) =>
        counts(entry) &&
        (entry.subject_type === 'organisation' ||
          entry.subject_id === (entry.subject_type === 'agent' ? agentId : keyId)),
    )
    .flatMap((entry) =>
      (set.policies.get(policyKey(entry)) ?? []).map((rule) => ({
        ...rule,
        policyId: entry.policy_id,
        policyVersion: entry.version,
        enforced: entry.mode === 'enforce',
        shadowUntil: entry.shadow_until === null ? null : Date.parse(entry.shadow_until),
      })),
    )

const unique = (rules: readonly GuardRule[]): GuardRule[] => {
  const byKey = new Map<string, GuardRule>()
  for (const rule of rules) {
    const key = `${rule.policyId}/${rule.policyVersion}/${rule.id}`
    const known = byKey.get(key)
    byKey.set(key, known?.enforced ? known : rule)
  }
  return [...byKey.values()]
}

/** For a text about which nobody can be asked: what people decide is forbidden, and the rest is for the runs that get the text. */
export const withoutQuestions = (rules: readonly GuardRule[]): GuardRule[] =>
  rules.flatMap((rule): GuardRule[] => {
    if (rule.action !== 'require_approval') return [rule]
    return rule.stages.includes('action_payload') ? [{ ...rule, action: 'block', stages: ['action_payload'] }] : []
  })

export const atStage = (rules: readonly GuardRule[], stage: Stage): GuardRule[] =>
  rules.filter((rule) => rule.stages.includes(stage))

const spanChecks: ReadonlySet<string> = new Set(['regex', 'keywords', 'pii', 'secrets', 'url_allow'])
const remoteChecks: ReadonlySet<string> = new Set(['model', 'http', 'presidio'])

export const isSpanRule = ({ check }: Pick<GuardRule, 'check'>): boolean => spanChecks.has(check)
export const isRemoteRule = ({ check }: Pick<GuardRule, 'check'>): boolean => remoteChecks.has(check)
