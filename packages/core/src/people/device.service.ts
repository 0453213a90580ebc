import { randomBytes, sha256 } from '@ars/platform/crypto'
import type { Tx } from '@ars/platform/db/database'
import { keepDevice } from './device.store.ts'
import { deviceCookieFor } from './device.ts'
import { tokenBytes } from './session.ts'

/** Keeps the browser in which a person has just given or set the password of the account, and answers its cookie. */
// crosses organisations: an account belongs to none of them. A browser that is known already keeps its cookie.
export const rememberDevice = async (tx: Tx, user: string, known?: { token: string } | null): Promise<string> => {
  const token = known?.token ?? randomBytes(tokenBytes).toString('base64url')
  await keepDevice(tx, { hash: sha256(token), user })
  return deviceCookieFor(token)
}
