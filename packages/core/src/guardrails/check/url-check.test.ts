import { expect, test } from 'vitest'
import { createUrlCheck } from './url-check.ts'

const check = createUrlCheck({ hosts: ['example.com', '*.good.org', 'bücher.de', '203.0.113.7', '[2001:db8::1]'] })
const foundIn = (text: string): string[] => check.find(text).map(({ start, end }) => text.slice(start, end))

test.for([
  'https://example.com',
  'https://example.com/path?query#part',
  'HTTPS://EXAMPLE.COM/',
  'https://example.com./',
  'https://example.com:8443/x',
  'https://user:word@example.com/',
  'https://evil.com@example.com/',
  'https://a.good.org and https://b.a.good.org.',
  'https://bücher.de/ https://xn--bcher-kva.de/ https://BÜCHER.DE',
  '//example.com/x',
  'http://203.0.113.7:80/ http://[2001:db8::1]:443/ http://0xcb007107/',
  'See https://example.com, (https://example.com) and [x](https://example.com).',
  '// a comment without an address',
  'either/or, and 1//2',
  'path//file.txt',
  'the protocol https: is better than http:',
  'C:\\Users\\name',
  'std::vector<int>::iterator',
  'www.example.com'.replace('www.', ''),
  'mailto:bob@evil.com',
])('%s has no address that is not allowed', (text) => {
  expect(foundIn(text)).toEqual([])
})

test.for([
  ['https://evil.com', 'https://evil.com'],
  ['see https://evil.com/x?data=1.', 'https://evil.com/x?data=1'],
  ['HTTP://EVIL.COM', 'HTTP://EVIL.COM'],
  ['https://example.com@evil.com/', 'https://example.com@evil.com/'],
  ['https://example.com:80@evil.com/', 'https://example.com:80@evil.com/'],
  ['https://example.com\\@evil.com/ x'.replace('\\@', '.evil.com/'), 'https://example.com.evil.com/evil.com/'],
  ['https://notexample.com', 'https://notexample.com'],
  ['https://good.org', 'https://good.org'],
  ['https://notgood.org', 'https://notgood.org'],
  ['https://evil.com./', 'https://evil.com./'],
  ['//evil.com/x', '//evil.com/x'],
  ['src="//evil.com/x.js"', '//evil.com/x.js'],
  ['\\\\evil.com\\share', '\\\\evil.com\\share'],
  ['http:\\\\evil.com', 'http:\\\\evil.com'],
  ['https:evil.com', 'https:evil.com'],
  ['https:////evil.com', 'https:////evil.com'],
  ['ftp://evil.com/file', 'ftp://evil.com/file'],
  ['wss://evil.com', 'wss://evil.com'],
  ['custom+scheme://evil.com', 'custom+scheme://evil.com'],
  ['http://3405803783/', null],
  ['http://3405803784/', 'http://3405803784/'],
  ['http://[2001:db8::2]/', 'http://[2001:db8::2]/'],
  ['https://еxample.com/', 'https://еxample.com/'],
  ['https://ｅｘａｍｐｌｅ.com/', null],
  ['https://example。com/', null],
  ['https://evil。com/', 'https://evil。com/'],
  ['www.evil.com', 'www.evil.com'],
  ['![](https://evil.com/?q=secret)', 'https://evil.com/?q=secret'],
  ['https://example.com/?next=https://evil.com/', 'https://evil.com/'],
  ['ht\u200btps://ev\u200bil.com', 'ht\u200btps://ev\u200bil.com'],
  ['https://localhost:3000/', 'https://localhost:3000/'],
] as const)('of %s the address %s is found', ([text, found]) => {
  expect(foundIn(text)).toEqual(found === null ? [] : [found])
})

test('a login that hides the host behind many characters is found (guardrailsBounds.urlAuthority)', () => {
  const text = `https://example.com${'a'.repeat(1_000)}@evil.com/`
  expect(foundIn(text)).toEqual([text])
})
