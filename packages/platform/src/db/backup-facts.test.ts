import { expect, test } from 'vitest'
import { type ArchiveMark, hasReceived } from './backup-facts.ts'

const mark = (written: string, received: string | null): ArchiveMark => ({ now: new Date(), written, received })

test.for([
  ['0/3000148', true],
  ['0/3000147', false],
  ['0/30001480', true],
  ['1/0', true],
  ['0/FFFFFFFF', true],
  [null, false],
] as const)('an archive that is at %s has what was written up to 0/3000148: %s', ([received, has]) => {
  expect(hasReceived(mark('2/0', received), mark('0/3000148', null))).toBe(has)
})

test('a position beyond 4 GiB is later than each one before', () => {
  expect(hasReceived(mark('A/1', '9/FFFFFFFF'), mark('A/0', null))).toBe(false)
  expect(hasReceived(mark('A/1', 'A/0'), mark('A/0', null))).toBe(true)
})
