import type { Reading } from './sloppy-proxy.ts'

/** A request whose end can be seen in two ways, with a second request hidden in what lies between the two. */
export type Ambiguous = {
  what: string
  reading: Reading
  bytes: string
  /** `refused`: 400 and closed. `one`: odd and yet clear, so it is one request, whatever its answer. */
  expects: 'refused' | 'one'
}

export type Bytes = {
  authorization: string
}

export const corpus = ({ authorization }: Bytes): Ambiguous[] => {
  const hidden = `GET /v2/smuggled HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`
  const post = (headers: string, payload: string, start = 'POST /v2/runs HTTP/1.1\r\n') =>
    `${start}Host: x\r\n${authorization}\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${payload}`
  const hex = (size: number) => size.toString(16)
  const insideLength = `0\r\n\r\n${hidden}`
  const insideChunk = `${hex(hidden.length)}\r\n${hidden}\r\n0\r\n\r\n`
  const chunked = (payload: string, headers = 'Transfer-Encoding: chunked') => post(headers, payload)
  const refused = (what: string, reading: Reading, bytes: string): Ambiguous => ({
    what,
    reading,
    bytes,
    expects: 'refused',
  })
  const one = (what: string, reading: Reading, bytes: string): Ambiguous => ({ what, reading, bytes, expects: 'one' })

  const bothWays = [...codings].flatMap(([what, field]) => [
    // The proxy uses the length: all of it is one body. A server that uses the chunks finds the end at once.
    refused(
      `${what}, and a length that the proxy goes by`,
      'length',
      post(`Content-Length: ${insideLength.length}\r\n${field}`, insideLength),
    ),
    // The proxy uses the chunks. A server that uses the length ends within the first.
    refused(
      `${what}, and a length that the proxy does not go by`,
      'chunks',
      post(`${field}\r\nContent-Length: 4`, insideChunk),
    ),
  ])
  const all = hidden.length + 2
  const lengths = [
    ['two lengths, the first larger', `Content-Length: ${all}\r\nContent-Length: 2`],
    ['two lengths, the second larger', `Content-Length: 2\r\nContent-Length: ${all}`],
    ['the same length twice', `Content-Length: ${all}\r\nContent-Length: ${all}`],
    ['a list of lengths', `Content-Length: ${all}, 2`],
    ['a length with a sign', `Content-Length: +${all}`],
    ['a length with a space in it', `Content-Length: ${all} 2`],
    ['a length with letters behind it', `Content-Length: ${all}a`],
    ['a length with a space before the colon', `Content-Length : ${all}`],
    ['a length on a folded line', `Content-Length:\r\n ${all}`],
    ['a length behind a bare line feed', `X-A: b\nContent-Length: ${all}`],
    ['a length behind a bare carriage return', `X-A: b\rContent-Length: ${all}`],
    ['a length with NUL behind it', `Content-Length: ${all}\0`],
    ['a length in a name with NUL', `Content-Length\0: ${all}`],
  ].map(([what = '', field = '']) => refused(what, 'length', post(field, `{}${hidden}`)))

  const chunks = [
    ['a chunk size ended by a bare line feed', '2\n{}\r\n0\r\n\r\n'],
    ['an extension ended by a bare line feed', '2;a\n{}\r\n0\r\n\r\n'],
    ['an extension with a bare line feed in it', '2;a\nb\r\n{}\r\n0\r\n\r\n'],
    ['an extension with a bare carriage return in it', '2;a\rb\r\n{}\r\n0\r\n\r\n'],
    ['an extension of 20 KB', `2;${'x'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`],
    ['a chunk size with a prefix', '0x2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk size with a sign', '+2\r\n{}\r\n0\r\n\r\n'],
    ['a negative chunk size', '-2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk size with an underscore', '0_2\r\n{}\r\n0\r\n\r\n'],
    ['a chunk size beyond 64 bits that ends like a small one', '10000000000000002\r\n{}\r\n0\r\n\r\n'],
    ['a chunk size of 20 digits', 'ffffffffffffffffffff\r\n{}\r\n0\r\n\r\n'],
    ['a chunk longer than it says', '1\r\n{}\r\n0\r\n\r\n'],
    ['a chunk without a line break behind it', '2\r\n{}0\r\n\r\n'],
    ['a chunk with other letters for its line break', '2\r\n{}xx0\r\n\r\n'],
    ['an empty chunk size', '\r\n{}\r\n0\r\n\r\n'],
    ['a trailer with a space before the colon', '2\r\n{}\r\n0\r\nX-A : b\r\n\r\n'],
    ['a trailer ended by a bare line feed', '2\r\n{}\r\n0\r\nX-A: b\nX-B: c\r\n\r\n'],
    ['a folded trailer', '2\r\n{}\r\n0\r\nX-A: b\r\n c\r\n\r\n'],
    ['a trailer without a colon', '2\r\n{}\r\n0\r\nGET /v2/smuggled HTTP/1.1\r\n\r\n'],
  ].map(([what = '', payload = '']) => refused(what, 'chunks', chunked(payload)))

  const heads = [
    ['a space before the colon', 'X-A : b'],
    ['a folded line', 'X-A: b\r\n c'],
    ['a bare line feed', 'X-A: b\nX-B: c'],
    ['a bare carriage return', 'X-A: b\rX-B: c'],
    ['NUL in a value', 'X-A: \0'],
    ['no name', ': b'],
    ['no colon', 'X-A'],
    ['a space at the beginning of the first header', ' X-A: b'],
    ['two hosts', 'Host: y'],
  ].map(([what = '', field = '']) =>
    refused(
      what,
      'length',
      `GET /v2/agents HTTP/1.1\r\n${field}\r\nHost: x\r\n${authorization}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    ),
  )

  const clear = [
    one(
      'a body where none belongs, of GET',
      'length',
      `GET /v2/agents HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    ),
    one(
      'a body where none belongs, of DELETE',
      'length',
      `DELETE /v2/runs/run_none HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    ),
    one(
      'a body in chunks where none belongs',
      'chunks',
      `GET /v2/agents HTTP/1.1\r\nHost: x\r\n${authorization}\r\nTransfer-Encoding: chunked\r\n\r\n${insideChunk}`,
    ),
    one(
      'a body to nowhere',
      'length',
      `POST /v2/nothing HTTP/1.1\r\nHost: x\r\n${authorization}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    ),
    one(
      'a body of somebody unknown',
      'length',
      `POST /v2/runs HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    ),
    one(
      'a body that waits for a word, of somebody unknown',
      'length',
      `POST /v2/runs HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    ),
    one(
      'a length under another name',
      'length',
      post(`Content-Length: ${insideLength.length}\r\nTransfer_Encoding: chunked`, insideLength),
    ),
    one('an extension of a chunk, as the standard has it', 'chunks', chunked('2;a=b\r\n{}\r\n0\r\n\r\n')),
    one('a trailer that names a length', 'chunks', chunked('2\r\n{}\r\n0\r\nContent-Length: 100\r\n\r\n')),
    one('a trailer that names a coding', 'chunks', chunked('2\r\n{}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n')),
    one('zeros before a chunk size', 'chunks', chunked('00000002\r\n{}\r\n0000\r\n\r\n')),
  ]

  return [
    ...bothWays,
    ...lengths,
    ...chunks,
    ...heads,
    refused(
      'lines ended by bare line feeds',
      'length',
      `GET /v2/agents HTTP/1.1\nHost: x\nContent-Length: ${hidden.length}\n\n${hidden}`,
    ),
    refused(
      'another version',
      'length',
      `GET /v2/agents HTTP/1.2\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    ),
    ...clear,
  ]
}

/** A request that hides another from the proxy and from nobody else: if this is not seen, nothing would be. */
export const undisguised = ({ authorization }: Bytes): Ambiguous => {
  const hidden = `GET /v2/smuggled HTTP/1.1\r\nHost: x\r\n${authorization}\r\n\r\n`
  const bytes = `GET /v2/agents HTTP/1.1\r\nHost: x\r\n${authorization}\r\nX-Length: ${hidden.length}\r\n\r\n${hidden}`
  return { what: 'a length that only the proxy knows', reading: 'blind', bytes, expects: 'one' }
}

/** The ways in which a coding has been hidden from one of two readers. */
const codings: ReadonlyMap<string, string> = new Map([
  ['chunked', 'Transfer-Encoding: chunked'],
  ['CHUNKED', 'Transfer-Encoding: CHUNKED'],
  ['chunked after a tab', 'Transfer-Encoding:\tchunked'],
  ['chunked without a space', 'Transfer-Encoding:chunked'],
  ['chunked before a space', 'Transfer-Encoding: chunked '],
  ['a space before the colon', 'Transfer-Encoding : chunked'],
  ['a tab before the colon', 'Transfer-Encoding\t: chunked'],
  ['a space before the name', ' Transfer-Encoding: chunked'],
  ['a folded line', 'Transfer-Encoding:\r\n chunked'],
  ['chunked behind a bare line feed', 'X-A: b\nTransfer-Encoding: chunked'],
  ['chunked behind a bare carriage return', 'X-A: b\rTransfer-Encoding: chunked'],
  ['a vertical tab before chunked', 'Transfer-Encoding: \x0bchunked'],
  ['NUL behind chunked', 'Transfer-Encoding: chunked\0'],
  ['quotes', 'Transfer-Encoding: "chunked"'],
  ['a parameter', 'Transfer-Encoding: chunked;q=1'],
  ['xchunked', 'Transfer-Encoding: xchunked'],
  ['identity', 'Transfer-Encoding: identity, chunked'],
  ['chunked, identity', 'Transfer-Encoding: chunked, identity'],
  ['chunked twice', 'Transfer-Encoding: chunked, chunked'],
  ['two codings', 'Transfer-Encoding: identity\r\nTransfer-Encoding: chunked'],
  ['two codings, chunked first', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: x'],
  ['gzip, chunked', 'Transfer-Encoding: gzip, chunked'],
])
