import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainName } from './plain-name.ts'

test.each([
  [
    'Your account is locked - verify at https://evil.example/login',
    'Your account is locked - verify at https evil example login',
  ],
  ['www.evil.example', 'www evil example'],
  ['mail eve@evil.example now', 'mail eve evil example now'],
  ['evil\u3002example \uFF45\uFF56\uFF49\uFF4C\uFF0E\uFF45\uFF58', 'evil example evil ex'],
  ['ev\u200Bil.\u200Bexample', 'ev il. example'],
  ['Acme Inc., St. Mary & Sons', 'Acme Inc., St. Mary & Sons'],
  ['Zoë’s Bäckerei\r\nBcc: eve', 'Zoë’s Bäckerei Bcc: eve'],
])('%s in a mail reads %s', (name, shown) => {
  expect(plainName(name)).toBe(shown)
})

test('no name is long, has two lines, or has a part that a mail program makes a link of (mailBounds.name)', () => {
  const parts = fc.constantFrom(
    'https://',
    'a',
    '.',
    '/',
    '@',
    ':',
    '\u3002',
    '\uFF0E',
    ' ',
    '\n',
    '\u200B',
    '\u{1F600}',
    'evil',
  )
  fc.assert(
    fc.property(fc.array(parts, { maxLength: 90 }), (all) => {
      const name = plainName(all.join(''))
      expect([...name].length).toBeLessThanOrEqual(60)
      expect(name).not.toMatch(/[.:/@\u3002\uFF0E]\S|[\n\u200B]/u)
    }),
  )
})
