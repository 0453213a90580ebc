import { statfs } from 'node:fs/promises'
import type { Config } from '@ars/core/config'
import { isLoopback } from './exposure.ts'

export type Space = { freeBytes: number; allBytes: number }

/** The disk of a data directory of Postgres. Null: it is on another machine, or it is not known where it is. */
export const readDatabaseDisk = async (
  dataDirectory: string | null,
  { databaseUrl }: Pick<Config, 'databaseUrl'>,
): Promise<Space | null> => {
  const { hostname } = new URL(databaseUrl)
  if (dataDirectory === null || !(hostname === '' || isLoopback(hostname))) return null
  const found = await statfs(dataDirectory).catch(() => null)
  return found && { freeBytes: found.bavail * found.bsize, allBytes: found.blocks * found.bsize }
}
