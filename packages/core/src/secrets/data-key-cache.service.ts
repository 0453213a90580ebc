import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import { type DataKey, type Keyring, wrappedKeyIdOf } from '@ars/platform/envelope'
import { KeyServiceUnavailable } from '@ars/platform/envelope-program'
import { secretsBounds } from './bounds.ts'
import { addOrgKey, findOrgKeys, type OrgKeys } from './org-key.store.ts'

/** The data keys of an organisation. A retired key is unwrapped when the first secret needs it. */
export type DataKeys = { current: DataKey; retired(id: string): Promise<DataKey> | undefined }

export type DataKeyCache = {
  get(org: string): Promise<DataKeys>
  /** Reads the keys again, unless it did so within the last second. */
  reload(org: string): Promise<DataKeys>
}

const maxKept = secretsBounds.dataKeysKept.count
/** A withdrawn key-encryption key takes effect after this time, plus `graceMs` if a program holds it. */
const freshMs = 3_600_000
/** While a key service does not answer, keys that were unwrapped before stay in use for this time. */
const graceMs = 3_600_000
// While a key service is unavailable, each organisation asks for its key at most this often.
const failureKeptMs = 1000
const reloadEveryMs = 1000

type Kept = { reloadedAt: number; freshUntil: number; usableUntil: number; keys: Promise<DataKeys> }
type Deps = { app: Database; keyring: Keyring; clock: Clock }

export const createDataKeyCache = ({ app, keyring, clock }: Deps): DataKeyCache => {
  const kept = new Map<string, Kept>()

  const read = (org: string, isReload: boolean): Promise<DataKeys> => {
    const now = clock.monotonicMs()
    const before = kept.get(org)
    const reloadedAt = isReload ? now : (before?.reloadedAt ?? Number.NEGATIVE_INFINITY)
    const keys = load({ app, keyring }, org).catch((error: unknown) => {
      if (!(error instanceof KeyServiceUnavailable)) {
        if (kept.get(org) === entry) kept.delete(org)
        throw error
      }
      entry.freshUntil = clock.monotonicMs() + failureKeptMs
      entry.usableUntil = before?.usableUntil ?? now
      if (before !== undefined && now < before.usableUntil) return before.keys
      throw error
    })
    const entry: Kept = { reloadedAt, freshUntil: now + freshMs, usableUntil: now + freshMs + graceMs, keys }
    if (kept.size >= maxKept && before === undefined) kept.delete(kept.keys().next().value as string)
    kept.set(org, entry)
    return keys
  }

  return {
    get: (org) => {
      const known = kept.get(org)
      return known === undefined || clock.monotonicMs() >= known.freshUntil ? read(org, false) : known.keys
    },
    reload: (org) => {
      const known = kept.get(org)
      return known === undefined || clock.monotonicMs() >= known.reloadedAt + reloadEveryMs
        ? read(org, true)
        : known.keys
    },
  }
}

/** Undefined: the organisation has no such key. */
export const openingKey = async ({ current, retired }: DataKeys, id: string): Promise<DataKey | undefined> =>
  id === current.id ? current : await retired(id)

const load = async ({ app, keyring }: Omit<Deps, 'clock'>, org: string): Promise<DataKeys> => {
  const stored = await findOrgKeys(app, org)
  if (stored) return unwrapped(keyring, org, stored)
  const made = await keyring.newDataKey(org)
  await addOrgKey(app, org, made)
  const added = await findOrgKeys(app, org)
  if (!added) throw new Error('The data key of an organisation was written and is not there')
  return added.wrapped.equals(made.wrapped)
    ? { current: made.dataKey, retired: () => undefined }
    : unwrapped(keyring, org, added)
}

export const unwrapped = async (keyring: Keyring, org: string, { wrapped, retired }: OrgKeys): Promise<DataKeys> => {
  const opened = new Map<string, Promise<DataKey>>()
  return {
    current: await keyring.unwrap(wrapped, org),
    retired: (id) => {
      const known = opened.get(id)
      const key = retired.find((each) => wrappedKeyIdOf(each) === id)
      if (known !== undefined || key === undefined) return known
      const opening = keyring.unwrap(key, org)
      opened.set(id, opening)
      opening.catch(() => opened.delete(id))
      return opening
    },
  }
}
