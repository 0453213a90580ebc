import { execFileSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { createTestDatabase } from '@ars/testkit/database'
import { expect, test } from 'vitest'

const file = new URL('../../db/schema.sql', import.meta.url).pathname

test('db/schema.sql is what the migrations make (pnpm schema writes it anew)', async () => {
  const database = await createTestDatabase()
  try {
    const dump = tidyDump(
      execFileSync('pg_dump', ['--schema-only', '--no-owner', '--exclude-table=*_p20*', database.superuserUrl], {
        encoding: 'utf8',
      }),
    )
    if (process.env.ARS_WRITE_SCHEMA === 'true') writeFileSync(file, dump)
    expect(readFileSync(file, 'utf8')).toBe(dump)
  } finally {
    await database.drop()
  }
})

/** Without what differs from one server to the next: versions, session settings, random markers. */
const tidyDump = (dump: string): string =>
  `-- Made by \`pnpm schema\` from db/migrations; day partitions are left out.\n${dump
    .split('\n')
    .filter((line) => !/^(--|SET |SELECT pg_catalog\.set_config|\\(un)?restrict)/.test(line))
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trimEnd()}\n`
