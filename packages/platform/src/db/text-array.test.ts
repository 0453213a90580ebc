import { asClient } from '@ars/testkit/client'
import { createTestDatabase } from '@ars/testkit/database'
import { expect, test } from 'vitest'
import { textArray } from './text-array.ts'

test('texts arrive in Postgres unchanged, in their order, beside nulls', async () => {
  const texts = [
    '',
    'a "quoted" \\ text, {braces} and NULL',
    null,
    'ü 🙂\n\u2028',
    JSON.stringify({ nul: '\u0000', half: '\ud800' }),
  ]
  const database = await createTestDatabase()
  try {
    const { rows } = await asClient(database.superuserUrl, (client) =>
      client.query(
        'select $1::text[] as texts, ($1::text[])[1] as first, ($1::text[])[4] as fourth, $2::text[] as none',
        [textArray(texts), textArray([])],
      ),
    )
    expect(rows).toEqual([{ texts, first: '', fourth: texts[3], none: [] }])
  } finally {
    await database.drop()
  }
})
