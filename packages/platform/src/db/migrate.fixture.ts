import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { onTestFinished } from 'vitest'

export type MigratedDatabase = {
  database: TestDatabase
  /** The migrations of the release. */
  dir: string
  /** Adds a migration to them. */
  add(text: string): void
}

/** A database of this test, and a folder with its migrations. */
export const openMigrated = async (): Promise<MigratedDatabase> => {
  const database = await createTestDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'migrations-'))
  onTestFinished(async () => {
    await database.drop()
    rmSync(dir, { recursive: true })
  })
  cpSync(fileURLToPath(new URL('../../../../db/migrations', import.meta.url)), dir, { recursive: true })
  return { database, dir, add: (text) => writeFileSync(join(dir, '9999_next.sql'), text) }
}
