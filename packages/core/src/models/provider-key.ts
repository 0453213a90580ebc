import type { ProviderKey } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { Vendor } from './outside-file.ts'

/** The key of a provider as stored, without the key. */
export type StoredProviderKey = {
  provider: Vendor
  hint: string | null
  created_by: string
  created_by_type: 'key' | 'user'
  created_at: Date
  updated_at: Date
}

export const toWireProviderKey = (key: StoredProviderKey): ProviderKey => ({
  id: key.provider,
  object: 'provider_key',
  key_hint: key.hint,
  created_by: fromUuid(key.created_by_type === 'key' ? 'key' : 'usr', key.created_by),
  created_at: key.created_at.toISOString(),
  updated_at: key.updated_at.toISOString(),
})

/** A sealed key opens for its provider only. */
export const providerKeyContextOf = (provider: string): string => `provider_keys/${provider}`

/** The last characters of a short key would reveal too much of it. */
export const keyHintOf = (key: string): string | null => (key.length < hintedChars ? null : `…${key.slice(-4)}`)

const hintedChars = 20
