import { generateKeyPairSync, randomBytes, sign } from 'node:crypto'

export type Certificate = { readonly cert: string; readonly key: string }

const dayMs = 86_400_000

/** A self-signed certificate for these names, in DER (RFC 5280), created without openssl. */
export const makeCertificate = (
  names: readonly string[],
  { from = new Date(Date.now() - dayMs), to = new Date(Date.now() + dayMs) }: { from?: Date; to?: Date } = {},
): Certificate => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = sequence(
    der(0x31, sequence(oid(0x55, 4, 3), der(0x0c, Buffer.from(`test ${randomBytes(6).toString('hex')}`)))),
  )
  const alternatives = sequence(...names.map(alternativeName))
  const body = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([0x40, ...randomBytes(15)])),
    ecdsaWithSha256,
    subject,
    sequence(time(from), time(to)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(sequence(oid(0x55, 29, 17), der(0x04, alternatives)))),
  )
  const whole = sequence(body, ecdsaWithSha256, der(0x03, Buffer.from([0]), sign('sha256', body, privateKey)))
  return {
    cert: `-----BEGIN CERTIFICATE-----\n${whole.toString('base64')}\n-----END CERTIFICATE-----\n`,
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

const alternativeName = (name: string): Buffer =>
  /^[\d.]+$/.test(name) ? der(0x87, Buffer.from(name.split('.').map(Number))) : der(0x82, Buffer.from(name))

const der = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag, ...lengthOf(body)]), body])
}

// The shortest encoding: strict readers reject any other.
const lengthOf = ({ length }: Buffer): number[] => {
  if (length < 0x80) return [length]
  return length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
}

const sequence = (...content: Buffer[]): Buffer => der(0x30, ...content)
const oid = (...bytes: number[]): Buffer => der(0x06, Buffer.from(bytes))
const time = (date: Date): Buffer =>
  der(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))

const ecdsaWithSha256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2))
