import { expect, test } from 'vitest'
import { safeUrl } from './safe-url.ts'

test('only http and https addresses become links', () => {
  expect(safeUrl('https://example.com/a?b=c')).toBe('https://example.com/a?b=c')
  expect(safeUrl('HTTP://EXAMPLE.com')).toBe('http://example.com/')
  const hostile = [
    'javascript:alert(1)',
    'JaVaScRiPt:alert(1)',
    ' javascript:alert(1)',
    '\u0001javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,<script>alert(1)</script>',
    'vbscript:x',
    'file:///etc/passwd',
    'blob:https://example.com/x',
    '//example.com',
    '/v2/runs',
    'https:/\\evil',
    'http://',
    '',
  ]
  for (const href of hostile) expect(safeUrl(href)).toBeNull()
})
