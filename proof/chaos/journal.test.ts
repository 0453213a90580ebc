import { appendFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { openJournal, parseLines, type SentLine } from './journal.ts'

const dir = mkdtempSync(join(tmpdir(), 'ars-journal-'))
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const sent = (call: number): SentLine => ({
  kind: 'sent',
  call,
  at_ms: call,
  gateway: 1,
  org: 'a',
  what: 'create',
  key: `k-${call}`,
})

test('lines written at once are all there, in order, and a line cut short by a crash is left out', async () => {
  const file = join(dir, 'journal.jsonl')
  const journal = await openJournal(file)
  await Promise.all(Array.from({ length: 100 }, (_, n) => journal.write(sent(n))))
  appendFileSync(file, '{"kind":"sent","call":10')
  const lines = await journal.read()
  await journal.close()
  expect(lines.map(({ call }) => call)).toEqual(Array.from({ length: 100 }, (_, n) => n))
})

test('a line that is broken in the middle is not passed over', () => {
  expect(() => parseLines('{"a":1}\n{"a":\n{"a":3}\n')).toThrow(SyntaxError)
})
