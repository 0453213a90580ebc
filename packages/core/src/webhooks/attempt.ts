import { limits } from '@ars/contract'

// What is kept of an endpoint's answer is bounded, and none of it is trusted.
const headersMost = 50
const headerBytesMost = 8192
const redacted = '[redacted]'

/** As many headers as fit. A cookie may be somebody's credential, and is of no use here. */
export const keptHeaders = (headers: Iterable<[string, string]>): Record<string, string> => {
  const kept: Record<string, string> = {}
  let bytes = 0
  let count = 0
  for (const [name, value] of headers) {
    const shown = name === 'set-cookie' ? redacted : withoutNul(value)
    bytes += name.length + Buffer.byteLength(shown)
    if (bytes > headerBytesMost || ++count > headersMost) break
    kept[name] = shown
  }
  return kept
}

/** As text, because people read it: what is no UTF-8 is replaced, and what no text in the database can hold is left out. */
export const keptBody = (bytes: Uint8Array): string => {
  const text = withoutNul(new TextDecoder('utf-8').decode(bytes))
  if (Buffer.byteLength(text) <= limits.deliveryAnswerBytes) return text
  // A character may have been cut in two, and each replaced byte has become three.
  const cut = Buffer.from(text).subarray(0, limits.deliveryAnswerBytes)
  return new TextDecoder('utf-8').decode(cut, { stream: true })
}

const withoutNul = (text: string): string => text.replaceAll('\0', '')

/** What an answer means. Only 2xx acknowledges; a redirect is an answer like any other, and is never followed. */
export const meaningOf = (status: number): { outcome: 'acknowledged' | 'failed' | 'gone'; error: string | null } => {
  if (status >= 200 && status < 300) return { outcome: 'acknowledged', error: null }
  if (status === 410)
    return { outcome: 'gone', error: 'The endpoint answered 410: it is gone, and the webhook is disabled' }
  if (status >= 300 && status < 400) {
    return { outcome: 'failed', error: `The endpoint answered ${status}: redirects are not followed` }
  }
  return { outcome: 'failed', error: `The endpoint answered ${status}` }
}
