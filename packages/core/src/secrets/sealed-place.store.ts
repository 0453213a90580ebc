import type { Database } from '@ars/platform/db/database'

/** A column of sealed secrets. Its slice hands it in, so that the secrets can be sealed again with a new data key. */
export type SealedPlace = {
  name: string
  /** Secrets of the organisation that another data key has sealed, after the cursor `after`. */
  list(db: Database, org: string, page: SealedPage): Promise<SealedSecret[]>
  /** Compare-and-set. False: the secret has changed. */
  replace(db: Database, org: string, change: { key: string; from: Buffer; to: Buffer }): Promise<boolean>
}

/** `dataKeyId`: the id of the current data key, 8 bytes. */
export type SealedPage = { dataKeyId: Buffer; after: string | null; limit: number }

/** `key` identifies the row and is the cursor. `record` is the context that the secret is sealed for. */
export type SealedSecret = { key: string; sealed: Buffer; record: string }
