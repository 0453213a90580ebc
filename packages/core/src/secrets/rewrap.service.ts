import type { Database } from '@ars/platform/db/database'
import { EnvelopeError, type Keyring } from '@ars/platform/envelope'
import { secretsBounds } from './bounds.ts'
import { countKeysByKek, listKeysUnderOthers, type Replacement, replaceKeys, type StoredKeys } from './org-key.store.ts'

/** `left`: how many data keys still need each of the other key-encryption keys. Those keys must not be removed. */
export type RewrapReport = {
  active: string
  rewrapped: number
  left: Readonly<Record<string, number>>
  /** The first data key that could not be rewrapped, and why. */
  failed: readonly { org: string; kekId: string; reason: string }[]
}

type Deps = { system: Database; keyring: Keyring }

const batchSize = secretsBounds.keysRewrapped.count
const failuresTold = 20

/**
 * Wraps every data key with the active key-encryption key. The data keys stay the same, so processes that hold one
 * continue, and sealed secrets are not touched. It can be stopped, repeated, and run twice at once.
 */
export const rewrapKeys = async (
  { system, keyring }: Deps,
  onBatch: (done: { rewrapped: number; failed: number }) => void = () => undefined,
): Promise<RewrapReport> => {
  const kekId = keyring.activeKekId
  const failed: RewrapReport['failed'][number][] = []
  let [rewrapped, failures] = [0, 0]
  let after: string | null = null
  for (;;) {
    const stored: StoredKeys[] = await listKeysUnderOthers(system, { kekId, after, limit: batchSize })
    if (stored.length === 0) break
    // No transaction is open here: a key service may be slow.
    const outcomes = await Promise.all(stored.map((row) => rewrapOne(keyring, row)))
    const keys = outcomes.filter((outcome) => 'to' in outcome)
    rewrapped += await replaceKeys(system, { kekId, keys })
    const refused = outcomes.filter((outcome) => 'reason' in outcome)
    failures += refused.length
    failed.push(...refused.slice(0, failuresTold - failed.length))
    onBatch({ rewrapped, failed: failures })
    after = stored.at(-1)?.org_id ?? null
  }
  const uses = await countKeysByKek(system)
  const others = uses.filter((use) => use.kek_id !== kekId)
  return {
    active: kekId,
    rewrapped,
    left: Object.fromEntries(others.map((use) => [use.kek_id, use.organisations])),
    failed,
  }
}

/** The key-encryption keys that the data keys need. `fault`: why data keys under this one cannot be opened. */
export type KekCheck = { kekId: string; organisations: number; fault: string | null }

/** Opens one data key under each key-encryption key, and tests that the active key can wrap a new one. */
export const checkKeks = async ({
  system,
  keyring,
}: {
  system: Database
  keyring: Keyring | undefined
}): Promise<KekCheck[]> => {
  const uses = await countKeysByKek(system)
  const checks = await Promise.all(
    uses.map(async (use) => ({
      kekId: use.kek_id,
      organisations: use.organisations,
      fault: keyring?.kekIds.includes(use.kek_id)
        ? await faultOf(() => keyring.unwrap(use.wrapped, use.org_id))
        : 'is not among the keys',
    })),
  )
  if (!keyring) return checks
  const fault = await faultOf(() => keyring.newDataKey('a trial that is not kept'))
  const active = checks.find(({ kekId }) => kekId === keyring.activeKekId)
  const others = checks.filter((check) => check !== active)
  return [
    { kekId: keyring.activeKekId, organisations: active?.organisations ?? 0, fault: active?.fault ?? fault },
    ...others,
  ]
}

const rewrapOne = async (
  keyring: Keyring,
  { org_id: org, wrapped: from, retired, kek_id: kekId }: StoredKeys,
): Promise<Replacement | RewrapReport['failed'][number]> => {
  try {
    const [{ wrapped: to }, ...others] = await Promise.all([
      keyring.rewrap(from, org),
      ...retired.map((key) => keyring.rewrap(key, org)),
    ])
    return { org, from, to, retired: others.map(({ wrapped }) => wrapped) }
  } catch (error) {
    // The message never contains a key. An unavailable key service ends the run; it can be repeated later.
    if (error instanceof EnvelopeError) return { org, kekId, reason: error.message }
    throw error
  }
}

const faultOf = async (attempt: () => Promise<unknown>): Promise<string | null> => {
  try {
    await attempt()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
