import type { ApiKey, ApiKeyKind, ApiKeysUpdateParams, Scope } from '@agent-run-service/sdk'

/** The fields that a person fills in. `expiry`: `never`, a number of days, or `own` with `expiresAt`. */
export type KeyFields = {
  name: string
  kind: ApiKeyKind
  scopes: ReadonlySet<Scope>
  agentIds: readonly string[] | null
  expiry: string
  expiresAt: string | undefined
}

export const expiryChoices = [
  ['never', 'Never'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['365', 'In a year'],
  ['own', 'At a time of your choice'],
] as const

export const emptyFields: KeyFields = {
  name: '',
  kind: 'live',
  scopes: new Set(),
  agentIds: null,
  expiry: 'never',
  expiresAt: undefined,
}

export const fieldsOfKey = (key: ApiKey): KeyFields => ({
  name: key.name,
  kind: key.kind === 'demo' ? 'demo' : 'live',
  scopes: new Set(key.scopes as Scope[]),
  agentIds: key.agent_ids,
  expiry: key.expires_at === null ? 'never' : 'own',
  expiresAt: key.expires_at ?? undefined,
})

export const expiryOf = ({ expiry, expiresAt }: KeyFields, nowMs: number): string | null => {
  if (expiry === 'never') return null
  if (expiry === 'own') return expiresAt ?? null
  return new Date(nowMs + Number(expiry) * 86_400_000).toISOString()
}

export type KeyErrors = Partial<Record<'name' | 'scopes' | 'agent_ids' | 'expires_at', string>>

/** The errors that the form finds before it sends anything. */
export const checkFields = (fields: KeyFields): KeyErrors => ({
  ...(fields.name.trim() === '' && { name: 'Enter a name.' }),
  ...(fields.scopes.size === 0 && { scopes: 'Choose at least one scope.' }),
  ...(fields.agentIds?.length === 0 && { agent_ids: 'Choose an agent, or all agents.' }),
  ...(fields.expiry === 'own' && fields.expiresAt === undefined && { expires_at: 'Enter a time.' }),
})

/** The fields that differ from the key. */
export const changesOf = (key: ApiKey, fields: KeyFields, nowMs: number): ApiKeysUpdateParams => {
  const wanted = {
    name: fields.name.trim(),
    scopes: [...fields.scopes],
    agent_ids: fields.agentIds === null ? null : [...fields.agentIds],
    expires_at: expiryOf(fields, nowMs),
  }
  const isSame = {
    name: wanted.name === key.name,
    scopes: isSameSet(wanted.scopes, key.scopes),
    agent_ids: isSameSet(wanted.agent_ids, key.agent_ids),
    expires_at: wanted.expires_at === key.expires_at,
  }
  const names = Object.keys(wanted) as (keyof typeof wanted)[]
  return Object.fromEntries(names.filter((name) => !isSame[name]).map((name) => [name, wanted[name]]))
}

const isSameSet = (one: readonly string[] | null, other: readonly string[] | null): boolean =>
  one === null || other === null
    ? one === other
    : one.length === other.length && one.every((each) => other.includes(each))
