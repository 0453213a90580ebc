import type { Database } from '@ars/platform/db/database'
import { type DataKey, dataKeyIdOf, EnvelopeError, type Keyring, open, seal } from '@ars/platform/envelope'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { operatorName } from '@ars/platform/operator-name'
import { recordAudit } from '../audit/index.ts'
import { secretsBounds } from './bounds.ts'
import { type DataKeys, openingKey, unwrapped } from './data-key-cache.service.ts'
import { dropRetiredKeys, type KeysToRotate, listKeysToRotate, rotateOrgKey } from './org-key.store.ts'
import type { SealedPlace, SealedSecret } from './sealed-place.store.ts'

export type RotationReport = {
  /** Organisations with a new data key. */
  rotated: number
  /** Secrets that the current data key now seals. */
  resealed: number
  /** Organisations whose retired keys were deleted. */
  cleaned: number
  /** Organisations that still keep retired keys. */
  retired: number
  /** The first organisations that failed, and why. */
  failed: readonly { org: string; reason: string }[]
}

type Deps = { system: Database; keyring: Keyring; places: readonly SealedPlace[]; newId: IdMaker }

const organisationsPerBatch = secretsBounds.organisationsTogether.count
const secretsPerBatch = secretsBounds.secretsTogether.count
const maxFailuresTold = secretsBounds.failuresTold.count
/** A rotation that is repeated without ever being finished stops here. */
const maxRetired = secretsBounds.retiredKeys.count
/** Longer than a process keeps a data key, and than an idempotency key is remembered. */
export const retiredKeptHours = 48

/**
 * Gives organisations a new data key, seals their secrets with it, and deletes a retired key 48 hours later. Until then
 * a process that has not noticed the new key may still seal with the old one. It can be stopped and repeated.
 */
export const rotateDataKeys = async (
  deps: Deps,
  { org, olderThanDays }: { org: string | null; olderThanDays: number },
  onBatch: (report: RotationReport) => void = () => undefined,
): Promise<RotationReport> => {
  const failed: { org: string; reason: string }[] = []
  const report = { rotated: 0, resealed: 0, cleaned: 0, retired: 0, failed }
  let after: string | null = null
  for (;;) {
    const page = { org, olderThanDays, keptHours: retiredKeptHours, after, limit: organisationsPerBatch }
    const batch: KeysToRotate[] = await listKeysToRotate(deps.system, page)
    for (const stored of batch) {
      try {
        const done = await rotateOne(deps, stored)
        report.rotated += done.isRotated ? 1 : 0
        report.resealed += done.resealed
        report.cleaned += done.isCleaned ? 1 : 0
        report.retired += done.hasRetired ? 1 : 0
      } catch (error) {
        // The message never contains a key. An unavailable key service or database ends the command.
        if (!(error instanceof EnvelopeError)) throw error
        if (failed.length < maxFailuresTold) failed.push({ org: stored.org_id, reason: error.message })
      }
    }
    onBatch(report)
    if (batch.length < organisationsPerBatch) return report
    after = batch.at(-1)?.org_id ?? null
  }
}

type Done = { isRotated: boolean; resealed: number; isCleaned: boolean; hasRetired: boolean }

const rotateOne = async (deps: Deps, stored: KeysToRotate): Promise<Done> => {
  const { system, keyring, places } = deps
  const { org_id: org, wrapped, retired } = stored
  if (stored.kek_id !== keyring.activeKekId)
    throw new EnvelopeError(`The data key is wrapped with ${stored.kek_id}: run ars-server admin rewrap first`)
  if (stored.is_due && retired.length < maxRetired) {
    const made = await keyring.newDataKey(org)
    const isRotated = await replaceKey(deps, org, { from: wrapped, to: made.wrapped, kekId: made.kekId })
    // Another process was faster, and does the rest.
    if (!isRotated) return { isRotated, resealed: 0, isCleaned: false, hasRetired: true }
    const keys = await unwrapped(keyring, org, { wrapped: made.wrapped, retired: [...retired, wrapped] })
    return { isRotated, resealed: await resealAll({ system, places }, org, keys), isCleaned: false, hasRetired: true }
  }
  if (retired.length === 0) return { isRotated: false, resealed: 0, isCleaned: false, hasRetired: false }
  const keys = await unwrapped(keyring, org, stored)
  const resealed = await resealAll({ system, places }, org, keys)
  const isCleaned = stored.may_drop && (await dropRetiredKeys(system, org, { wrapped, count: retired.length }))
  return { isRotated: false, resealed, isCleaned, hasRetired: !isCleaned }
}

/** The organisation sees in its audit log when its data key was replaced. */
const replaceKey = (
  { system, newId }: Pick<Deps, 'system' | 'newId'>,
  org: string,
  keys: { from: Buffer; to: Buffer; kekId: string },
): Promise<boolean> =>
  system.transaction(org, async (tx) => {
    const isRotated = await rotateOrgKey(tx, org, keys)
    if (isRotated) {
      await recordAudit(tx, org, {
        id: toUuid(newId('aud')),
        actor: { type: 'operator', id: operatorName() },
        address: null,
        requestId: null,
        action: 'organisation.data_key_rotated',
        subject: fromUuid('org', org),
        before: null,
        after: { kek_id: keys.kekId },
      })
    }
    return isRotated
  })

const resealAll = async (
  { system, places }: Pick<Deps, 'system' | 'places'>,
  org: string,
  keys: DataKeys,
): Promise<number> => {
  const dataKeyId = Buffer.from(keys.current.id, 'hex')
  let resealed = 0
  for (const place of places) {
    let after: string | null = null
    for (;;) {
      const page: SealedSecret[] = await place.list(system, org, { dataKeyId, after, limit: secretsPerBatch })
      for (const secret of page) {
        const to = await resealOne(keys, org, place.name, secret)
        // False: the secret has changed meanwhile. Its new version is sealed with a current key, or the next run sees it.
        if (await place.replace(system, org, { key: secret.key, from: secret.sealed, to })) resealed++
      }
      if (page.length < secretsPerBatch) break
      after = page.at(-1)?.key ?? null
    }
  }
  return resealed
}

const resealOne = async (
  keys: DataKeys,
  org: string,
  place: string,
  { key, sealed, record }: SealedSecret,
): Promise<Buffer> => {
  const opener: DataKey | undefined = await openingKey(keys, dataKeyIdOf(sealed))
  if (!opener) throw new EnvelopeError(`${place} ${key} was sealed with a data key that does not exist any more`)
  const context = { organisation: org, record }
  return seal(keys.current, open(opener, sealed, context), context)
}
