import { createHmac } from 'node:crypto'
import type { Database } from '@ars/platform/db/database'
import { type DataKey, type Keyring, open, seal } from '@ars/platform/envelope'
import { KeyServiceUnavailable } from '@ars/platform/envelope-program'
import { Fault } from '../fault.ts'
import { addOrgKey, findOrgKey } from './org-key.store.ts'

/**
 * Secrets of an organisation, sealed for the record that keeps them: `record` names the row and everything else that
 * the secret must not be separated from. A secret that was sealed for one record does not open in another.
 */
export type SecretService = {
  /** Throws `secrets_disabled` when the operator has configured no key. */
  seal(org: string, secret: string, record: string): Promise<Buffer>
  open(org: string, sealed: Uint8Array, record: string): Promise<string>
  /**
   * A keyed fingerprint of a text that contains a secret: useless for guessing to somebody who has only the database.
   */
  fingerprint(org: string, text: string): Promise<Buffer>
}

const maxKept = 1000
// While a key service is unavailable, each organisation asks for its key at most this often.
const failureKeptMs = 1000

export const createSecrets = ({ app, keyring }: { app: Database; keyring: Keyring | undefined }): SecretService => {
  const kept = new Map<string, Promise<DataKey>>()

  const load = async (keys: Keyring, org: string): Promise<DataKey> => {
    const stored = await findOrgKey(app, org)
    if (stored) return keys.unwrap(stored, org)
    const made = await keys.newDataKey(org)
    await addOrgKey(app, org, made)
    const added = await findOrgKey(app, org)
    if (!added) throw new Error('The data key of an organisation was written and is not there')
    return added.equals(made.wrapped) ? made.dataKey : keys.unwrap(added, org)
  }

  const dataKeyOf = (org: string): Promise<DataKey> => {
    if (!keyring) throw new Fault('secrets_disabled', 'This installation keeps no credentials: it has no key for them')
    const known = kept.get(org)
    if (known !== undefined) return known
    const loading = load(keyring, org)
    if (kept.size >= maxKept) kept.delete(kept.keys().next().value as string)
    kept.set(org, loading)
    const forget = (): void => {
      if (kept.get(org) === loading) kept.delete(org)
    }
    loading.catch((error: unknown) => {
      if (error instanceof KeyServiceUnavailable) setTimeout(forget, failureKeptMs).unref()
      else forget()
    })
    return loading
  }

  return {
    seal: async (org, secret, record) => seal(await dataKeyOf(org), Buffer.from(secret), { organisation: org, record }),
    open: async (org, sealed, record) => open(await dataKeyOf(org), sealed, { organisation: org, record }).toString(),
    fingerprint: async (org, text) =>
      createHmac('sha256', (await dataKeyOf(org)).key)
        .update('fingerprint\0')
        .update(text)
        .digest(),
  }
}
