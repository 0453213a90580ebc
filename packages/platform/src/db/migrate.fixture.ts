import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import { onTestFinished } from 'vitest'

export type MigratedDatabase = {
  database: TestDatabase
  /** The folder `db` of a release. */
  dir: string
  /** Adds a migration to it. */
  add(text: string, name?: string): void
  /** Changes or adds a function. */
  write(name: string, text: string): void
}

const schemaDir = fileURLToPath(new URL('../../../../db', import.meta.url))

/** A database of this test, and a folder with its schema. */
export const openMigrated = async (): Promise<MigratedDatabase> => {
  const database = await createTestDatabase()
  const dir = mkdtempSync(join(tmpdir(), 'schema-'))
  onTestFinished(async () => {
    await database.drop()
    rmSync(dir, { recursive: true })
  })
  cpSync(schemaDir, dir, { recursive: true })
  return {
    database,
    dir,
    add: (text, name = '9999_next') => writeFileSync(join(dir, 'migrations', `${name}.sql`), text),
    write: (name, text) => writeFileSync(join(dir, 'functions', `${name}.sql`), text),
  }
}
