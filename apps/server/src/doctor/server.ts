import type { Config } from '@ars/core/config'
import type { ServerFacts } from '@ars/platform/db/readiness'
import { readDatabaseDisk, type Space } from '../database-disk.ts'
import { maxConnectionsOf } from '../parts.ts'
import type { Finding } from './finding.ts'

export const serverChecks = ['postgres', 'connections', 'disk'] as const

const freeBytesLeast = 2 * 1024 ** 3
const freeShareLeast = 0.1
const busyShare = 0.9

export const checkServer = async (facts: ServerFacts, config: Config, dayBytes: number | null): Promise<Finding[]> => [
  checkVersion(facts),
  checkConnections(facts, config),
  judgeDisk(facts.databaseBytes, await readDatabaseDisk(facts.dataDirectory, config), dayBytes),
]

const checkVersion = ({ version }: ServerFacts): Finding => ({
  what: 'postgres',
  found: version,
  ...(Number.parseInt(version, 10) >= 15 ? {} : { advice: 'Upgrade to Postgres 15 or newer.' }),
})

const checkConnections = ({ maxConnections, connections }: ServerFacts, config: Config): Finding => {
  const what = 'connections'
  const [gateway, worker] = [maxConnectionsOf('gateway', config), maxConnectionsOf('worker', config)]
  const found = `${connections} of ${maxConnections} in use; a gateway opens up to ${gateway}, a worker up to ${worker}`
  if (gateway + worker > maxConnections) {
    const advice = `Set max_connections to more than ${gateway + worker} and what all other processes open, or lower ARS_DATABASE_POOL_SIZE.`
    return { what, found, advice }
  }
  if (connections > maxConnections * busyShare) {
    const advice =
      'Raise max_connections, lower ARS_DATABASE_POOL_SIZE, or put PgBouncer before Postgres: soon connections are refused.'
    return { what, found, advice }
  }
  return { what, found }
}

/** `dayBytes`: what the runs of yesterday take; null: not known. */
export const judgeDisk = (databaseBytes: number, space: Space | null, dayBytes: number | null = null): Finding => {
  const what = 'disk'
  const size = `the database has ${gib(databaseBytes)} GiB`
  if (!space) return { what, found: `${size}; monitor the free space on its machine` }
  const days = dayBytes ? `, enough for ${Math.floor(space.freeBytes / dayBytes)} days like yesterday` : ''
  const found = `${size}, ${gib(space.freeBytes)} GiB are free${days}`
  if (space.freeBytes >= Math.max(freeBytesLeast, space.allBytes * freeShareLeast)) return { what, found }
  const advice = 'Enlarge the disk, or lower ARS_RETENTION_DAYS. A full disk stops Postgres, and with it every write.'
  return { what, found, advice }
}

const gib = (bytes: number): string => (bytes / 1024 ** 3).toFixed(1)
