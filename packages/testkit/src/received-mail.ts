/** A message as a mail server got it, and as a mail program shows it. */
export type ReceivedMail = {
  from: string
  to: readonly string[]
  isSecure: boolean
  /** Everything that was sent, each byte as one character. */
  raw: string
  /** Names in lower case. A header that is there twice has two values. */
  headers: Readonly<Record<string, readonly string[]>>
  subject: string
  text: string
  html: string
}

type Transfer = Pick<ReceivedMail, 'from' | 'to' | 'isSecure' | 'raw'>
type Part = { headers: Record<string, string[]>; body: string }

export const receivedMailOf = (transfer: Transfer): ReceivedMail => {
  const whole = partOf(transfer.raw)
  const parts = partsOf(whole)
  const bodyOf = (type: string) => {
    const part = parts.find(({ headers }) => (headers['content-type']?.[0] ?? 'text/plain').startsWith(type))
    return part ? decodedBody(part) : ''
  }
  return {
    ...transfer,
    headers: whole.headers,
    subject: decodedWords(whole.headers.subject?.[0] ?? ''),
    text: bodyOf('text/plain'),
    html: bodyOf('text/html'),
  }
}

const partOf = (raw: string): Part => {
  const end = raw.indexOf('\r\n\r\n')
  const head = end < 0 ? raw : raw.slice(0, end)
  const headers: Record<string, string[]> = {}
  for (const line of head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n')) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase()
    headers[name] = [...(headers[name] ?? []), line.slice(line.indexOf(':') + 1).trim()]
  }
  return { headers, body: end < 0 ? '' : raw.slice(end + 4) }
}

const partsOf = (part: Part): Part[] => {
  const boundary = /^multipart\/.*boundary="?([^";]+)"?/i.exec(part.headers['content-type']?.[0] ?? '')?.[1]
  if (boundary === undefined) return [part]
  return part.body
    .split(`--${boundary}`)
    .slice(1, -1)
    .flatMap((text) => partsOf(partOf(text.replace(/^\r\n/, '').replace(/\r\n$/, ''))))
}

const decodedBody = ({ headers, body }: Part): string => {
  const encoding = headers['content-transfer-encoding']?.[0]?.toLowerCase()
  if (encoding === 'base64') return Buffer.from(body, 'base64').toString()
  const bytes = encoding === 'quoted-printable' ? unquoted(body.replaceAll(/=\r\n/g, '')) : body
  return Buffer.from(bytes, 'latin1').toString()
}

const unquoted = (text: string): string =>
  text.replaceAll(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

const decodedWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?/g, '?==?')
    .replaceAll(/=\?utf-8\?([bq])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
      kind.toLowerCase() === 'b'
        ? Buffer.from(word, 'base64').toString()
        : Buffer.from(unquoted(word.replaceAll('_', ' ')), 'latin1').toString(),
    )
