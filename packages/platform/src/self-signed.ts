import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { randomBytes } from './crypto.ts'

type Subject = { names: readonly string[]; nowMs: number; days: number }

const dayMs = 86_400_000

/** Apple's systems accept 825 days and no more. */
export const publicDays = 820

/**
 * A self-signed certificate for these host names, 127.0.0.1 and ::1, and its key. Clients trust it by naming the file
 * (`curl --cacert`). Written out in DER here, because then no openssl has to be installed.
 */
export const createSelfSigned = (subject: Subject): { certificate: string; key: string } => {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = certificateBody(publicKey.export({ type: 'spki', format: 'der' }), subject)
  const signature = sign('sha256', body, privateKey)
  return {
    certificate: toPem(sequence(body, ecdsaWithSha256, bitString(signature))),
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  }
}

/** RFC 5280, 4.1: the signed part. */
const certificateBody = (publicKey: Buffer, { names, nowMs, days }: Subject): Buffer => {
  return sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    // It begins a day early for clocks that are behind.
    sequence(time(new Date(nowMs - dayMs)), time(new Date(nowMs + days * dayMs))),
    name,
    publicKey,
    tagged(0xa3, extensions(publicKey, names)),
  )
}

const extensions = (publicKey: Buffer, hostNames: readonly string[]): Buffer => {
  const ipv4 = Buffer.from([127, 0, 0, 1])
  const ipv6 = Buffer.concat([Buffer.alloc(15), Buffer.from([1])])
  const dns = hostNames.map((each) => tagged(0x82, Buffer.from(each)))
  const names = sequence(...dns, tagged(0x87, ipv4), tagged(0x87, ipv6))
  const keyId = octetString(createHash('sha1').update(publicKey).digest())
  return sequence(
    sequence(oid('2.5.29.17'), octetString(names)), // subject alternative names
    sequence(oid('2.5.29.19'), critical, octetString(sequence())), // basic constraints: not an authority
    sequence(oid('2.5.29.15'), critical, octetString(tagged(0x03, Buffer.from([7, 0x80])))), // key usage: signatures
    sequence(oid('2.5.29.37'), octetString(sequence(oid('1.3.6.1.5.5.7.3.1')))), // extended key usage: TLS server
    sequence(oid('2.5.29.14'), octetString(keyId)), // subject key identifier
  )
}

const tagged = (tag: number, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(body.length)]), body])
}

const lengthBytes = (length: number): number[] => {
  if (length < 0x80) return [length]
  if (length < 0x1_00) return [0x81, length]
  return [0x82, length >> 8, length & 0xff]
}

const sequence = (...content: Buffer[]): Buffer => tagged(0x30, ...content)

const integer = (bytes: Buffer): Buffer => tagged(0x02, bytes)

const octetString = (bytes: Buffer): Buffer => tagged(0x04, bytes)

const bitString = (bytes: Buffer): Buffer => tagged(0x03, Buffer.from([0]), bytes)

const time = (date: Date): Buffer =>
  tagged(0x17, Buffer.from(`${date.toISOString().replaceAll(/[-:T]/g, '').slice(2, 14)}Z`))

const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const bytes = [first * 40 + second]
  for (const part of rest) {
    const groups = [part & 0x7f]
    for (let left = part >> 7; left > 0; left >>= 7) groups.unshift((left & 0x7f) | 0x80)
    bytes.push(...groups)
  }
  return tagged(0x06, Buffer.from(bytes))
}

const toPem = (der: Buffer): string => {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

const ecdsaWithSha256 = sequence(oid('1.2.840.10045.4.3.2'))
const critical = tagged(0x01, Buffer.from([0xff]))
const name = sequence(tagged(0x31, sequence(oid('2.5.4.3'), tagged(0x0c, Buffer.from('localhost')))))
