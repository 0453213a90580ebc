/** Standard Webhooks: covers id, time and body. */
export const standardSignature = async (
  secret: string,
  { id, timestamp, body }: { id: string; timestamp: string; body: Bytes },
): Promise<string> => `v1,${toBase64(await hmac(standardKey(secret), concat(encode(`${id}.${timestamp}.`), body)))}`

/** The header `X-SERVICE-Signature`: covers the body. */
export const plainSignature = async (secret: string, body: Bytes): Promise<string> =>
  toHex(await hmac(encode(secret), body))

export type Bytes = Uint8Array<ArrayBuffer>

export const encode = (text: string): Bytes => new TextEncoder().encode(text)

/** The part after the prefix if it is base64 of 24 to 64 bytes; otherwise the whole string with its prefix. */
const standardKey = (secret: string): Bytes => {
  const encoded = secret.startsWith(secretPrefix) ? secret.slice(secretPrefix.length) : ''
  if (!base64.test(encoded)) return encode(secret)
  const decoded = Uint8Array.from(atob(encoded), (character) => character.charCodeAt(0))
  return decoded.length >= keyMinBytes && decoded.length <= keyMaxBytes ? decoded : encode(secret)
}

const secretPrefix = 'whsec_'
const keyMinBytes = 24
const keyMaxBytes = 64
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

const hmac = async (key: Bytes, message: Bytes): Promise<Bytes> => {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const imported = await crypto.subtle.importKey('raw', key, algorithm, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, message))
}

const concat = (left: Bytes, right: Bytes): Bytes => {
  const both = new Uint8Array(left.length + right.length)
  both.set(left)
  both.set(right, left.length)
  return both
}

const toBase64 = (bytes: Bytes): string => btoa(String.fromCharCode(...bytes))
const toHex = (bytes: Bytes): string => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
