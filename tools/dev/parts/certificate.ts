import { X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createSelfSigned, publicDays } from '@ars/platform/self-signed'

export type CertificateFiles = {
  certFile: string
  keyFile: string
}

const dayMs = 86_400_000

/** A self-signed certificate for localhost, created on the first start and renewed 30 days before it expires. */
export const keepCertificate = (dir: string): CertificateFiles => {
  const files = { certFile: join(dir, 'cert.pem'), keyFile: join(dir, 'key.pem') }
  if (isValid(files)) return files
  const { certificate, key } = createSelfSigned({ names: ['localhost'], nowMs: Date.now(), days: publicDays })
  mkdirSync(dir, { recursive: true })
  writeFileSync(files.keyFile, key, { mode: 0o600 })
  writeFileSync(files.certFile, certificate)
  return files
}

const isValid = ({ certFile, keyFile }: CertificateFiles): boolean => {
  if (!existsSync(certFile) || !existsSync(keyFile)) return false
  return new X509Certificate(readFileSync(certFile)).validToDate.getTime() > Date.now() + 30 * dayMs
}
