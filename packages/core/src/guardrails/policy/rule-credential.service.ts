import type { Database } from '@ars/platform/db/database'
import { EnvelopeError } from '@ars/platform/envelope'
import { Fault } from '../../fault.ts'
import type { SecretService } from '../../secrets/index.ts'
import type { GuardRule } from '../guard/policy-set.ts'
import { findPolicySecrets } from './policy-secret.store.ts'
import { credentialRecord, isHostRule, type RuleCredentials } from './rule-credential.ts'

type Deps = { app: Database; secrets: Pick<SecretService, 'open'> }

type Version = { policyId: string; version: number }

export const readCredentials = async (
  { app, secrets }: Deps,
  org: string,
  version: Version,
): Promise<RuleCredentials> => {
  const sealed = await findPolicySecrets(app, org, version)
  return sealed ? JSON.parse(await secrets.open(org, sealed, credentialRecord(version))) : {}
}

/** `lost`: the rule has a credential, and this installation cannot open it. */
export type FoundCredential = { kind: 'none' } | { kind: 'found'; credential: string } | { kind: 'lost' }

/** The credential of a rule, read when its host is asked: no process keeps it. */
export const findCredential = async (deps: Deps, org: string, rule: GuardRule): Promise<FoundCredential> => {
  if (!isHostRule(rule) || !rule.params.credential_set) return { kind: 'none' }
  try {
    const { policyId, policyVersion } = rule
    const credential = (await readCredentials(deps, org, { policyId, version: policyVersion }))[rule.id]
    return credential === undefined ? { kind: 'lost' } : { kind: 'found', credential }
  } catch (error) {
    if (error instanceof EnvelopeError || error instanceof Fault) return { kind: 'lost' }
    throw error
  }
}
