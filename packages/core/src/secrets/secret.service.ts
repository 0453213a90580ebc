import { createHmac } from 'node:crypto'
import { type Clock, systemClock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { type DataKey, dataKeyIdOf, type Keyring, open, seal } from '@ars/platform/envelope'
import { Fault } from '../fault.ts'
import { createDataKeyCache, openingKey } from './data-key-cache.service.ts'

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

type Deps = { app: Database; keyring: Keyring | undefined; clock?: Clock }

export const createSecrets = ({ app, keyring, clock = systemClock }: Deps): SecretService => {
  const cache = keyring && createDataKeyCache({ app, keyring, clock })
  const required = () => {
    if (!cache) throw new Fault('secrets_disabled', 'This installation keeps no credentials: it has no key for them')
    return cache
  }
  const currentOf = async (org: string): Promise<DataKey> => (await required().get(org)).current

  const openerOf = async (org: string, id: string): Promise<DataKey> => {
    const keys = await required().get(org)
    // The key may have been rotated since this process read it.
    return (await openingKey(keys, id)) ?? (await openingKey(await required().reload(org), id)) ?? keys.current
  }

  return {
    seal: async (org, secret, record) => seal(await currentOf(org), Buffer.from(secret), { organisation: org, record }),
    open: async (org, sealed, record) =>
      open(await openerOf(org, dataKeyIdOf(sealed)), sealed, { organisation: org, record }).toString(),
    fingerprint: async (org, text) =>
      createHmac('sha256', (await currentOf(org)).key)
        .update('fingerprint\0')
        .update(text)
        .digest(),
  }
}
