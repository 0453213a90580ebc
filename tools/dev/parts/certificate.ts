import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

export type CertificateFiles = {
  certFile: string
  keyFile: string
}

const dayMs = 86_400_000

/**
 * A self-signed certificate for localhost, created on the first start and renewed 30 days before it expires. Clients trust
 * it by naming the file (`curl --cacert`). Written out in DER here, because then no openssl has to be installed.
 */
export const keepCertificate = (dir: string): CertificateFiles => {
  const files = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') }
  if (isValid(files)) return files
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const body = certificateBody(publicKey.export({ type: 'spki', format: 'der' }))
  const signature = sign('sha256', body, privateKey)
  const certificate = sequence(body, ecdsaWithSha256, bitString(signature))
  mkdirSync(dir, { recursive: true })
  writeFileSync(files.keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 })
  writeFileSync(files.certFile, toPem(certificate))
  return files
}

const isValid = ({ certFile, keyFile }: CertificateFiles): boolean => {
  if (!existsSync(certFile) || !existsSync(keyFile)) return false
  return new X509Certificate(readFileSync(certFile)).validToDate.getTime() > Date.now() + 30 * dayMs
}

/** RFC 5280, 4.1: the signed part. */
const certificateBody = (publicKey: Buffer): Buffer => {
  const now = Date.now()
  return sequence(
    tagged(0xa0, integer(Buffer.from([2]))), // version 3
    integer(Buffer.concat([Buffer.from([0x40]), randomBytes(15)])),
    ecdsaWithSha256,
    name,
    // It begins a day early for clocks that are behind, and ends within the 825 days that Apple's systems accept.
    sequence(time(new Date(now - dayMs)), time(new Date(now + 820 * dayMs))),
    name,
    publicKey,
    tagged(0xa3, extensions(publicKey)),
  )
}

const extensions = (publicKey: Buffer): Buffer => {
  const ipv4 = Buffer.from([127, 0, 0, 1])
  const ipv6 = Buffer.concat([Buffer.alloc(15), Buffer.from([1])])
  const names = sequence(tagged(0x82, Buffer.from('localhost')), tagged(0x87, ipv4), tagged(0x87, ipv6))
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
