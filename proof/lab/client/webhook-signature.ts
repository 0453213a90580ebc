import { createHmac, timingSafeEqual } from 'node:crypto'

/** Which of the secrets that a receiver knows made the signatures of a request, by their places. Empty: none of them did. */
export type Verified = {
  /** `X-SERVICE-Signature`, by the recipe of the contract. */
  plain: number[]
  /** `webhook-signature`, by that of Standard Webhooks. */
  standard: number[]
  /** How many signatures the standard header carries. */
  signatures: number
}

/** Written from the contract and not taken from the service, as a customer would. */
export const verify = (
  secrets: readonly string[],
  headers: Readonly<Record<string, string | string[] | undefined>>,
  body: Buffer,
): Verified => {
  const header = (name: string): string => String(headers[name] ?? '')
  const given = header('webhook-signature').split(' ').filter(Boolean)
  const signed = Buffer.concat([Buffer.from(`${header('webhook-id')}.${header('webhook-timestamp')}.`), body])
  const isPlain = (secret: string): boolean =>
    isEqual(header('x-service-signature'), createHmac('sha256', secret).update(body).digest('hex'))
  const isStandard = (secret: string): boolean => {
    const wanted = `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`
    return given.some((signature) => isEqual(signature, wanted))
  }
  const places = (is: (secret: string) => boolean): number[] =>
    secrets.flatMap((secret, place) => (is(secret) ? [place] : []))
  return { plain: places(isPlain), standard: places(isStandard), signatures: given.length }
}

/** The base64 behind `whsec_` where it is one of 24 to 64 bytes, otherwise the text itself. */
const standardKey = (secret: string): Buffer => {
  const text = secret.replace(/^whsec_/, '')
  const bytes = Buffer.from(text, 'base64')
  return bytes.length >= 24 && bytes.length <= 64 && bytes.toString('base64') === text ? bytes : Buffer.from(secret)
}

const isEqual = (given: string, wanted: string): boolean => {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
