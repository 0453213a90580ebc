import { limits } from '@ars/contract'
import { webhooksBounds } from '../bounds.ts'

// The kept part of an endpoint's response is bounded and untrusted.
const maxHeaders = webhooksBounds.answerHeaders.count
const maxHeaderBytes = webhooksBounds.answerHeaders.bytes
const redacted = '[redacted]'

/** As many headers as fit. Cookies may be credentials and are left out. */
export const keptHeaders = (headers: Iterable<[string, string]>): Record<string, string> => {
  const kept: Record<string, string> = {}
  let bytes = 0
  let count = 0
  for (const [name, value] of headers) {
    const shown = name === 'set-cookie' ? redacted : withoutNul(value)
    bytes += name.length + Buffer.byteLength(shown)
    if (bytes > maxHeaderBytes || ++count > maxHeaders) break
    kept[name] = shown
  }
  return kept
}

/** As text: invalid UTF-8 is replaced, and characters that the database cannot store are left out. */
export const keptBody = (bytes: Uint8Array): string => {
  const text = withoutNul(new TextDecoder('utf-8').decode(bytes))
  if (Buffer.byteLength(text) <= limits.deliveryAnswerBytes) return text
  // The cut may split a character, and each replaced byte has become three.
  const cut = Buffer.from(text).subarray(0, limits.deliveryAnswerBytes)
  return new TextDecoder('utf-8').decode(cut, { stream: true })
}

const withoutNul = (text: string): string => text.replaceAll('\0', '')

/** The meaning of a response. Only 2xx acknowledges; redirects are never followed. */
export const meaningOf = (status: number): { outcome: 'acknowledged' | 'failed' | 'gone'; error: string | null } => {
  if (status >= 200 && status < 300) return { outcome: 'acknowledged', error: null }
  if (status === 410)
    return { outcome: 'gone', error: 'The endpoint answered 410: it is gone, and the webhook is disabled' }
  if (status >= 300 && status < 400) {
    return { outcome: 'failed', error: `The endpoint answered ${status}: redirects are not followed` }
  }
  return { outcome: 'failed', error: `The endpoint answered ${status}` }
}
