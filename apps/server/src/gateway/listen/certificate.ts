import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SecureContextOptions } from 'node:tls'
import type { Log } from '@ars/platform/log/log'
import { watchFiles } from '@ars/platform/watched-files'

export type CertificateFiles = { certFile: string; keyFile: string }
export type Certificate = { cert: Buffer; key: Buffer; validTo: Date }

/** Forward secrecy and authenticated encryption only. TLS 1.3 has no other suites. */
export const tlsSuites: SecureContextOptions = {
  minVersion: 'TLSv1.2',
  ciphers: [
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'TLS_AES_128_GCM_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
}

/** Throws if a file cannot be read, or if the key does not belong to the certificate. */
export const readCertificate = ({ certFile, keyFile }: CertificateFiles): Certificate => {
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)]
  const parsed = new X509Certificate(cert)
  if (!parsed.checkPrivateKey(createPrivateKey(key)))
    throw new Error(`The key in ${keyFile} does not belong to the certificate in ${certFile}`)
  return { cert, key, validTo: parsed.validToDate }
}

/**
 * Takes a renewed certificate into use without a restart: a few seconds after the files have changed, and at once on
 * SIGHUP. Open connections continue. While the files are broken, or half of them is written, the old one stays in use.
 */
export const watchCertificate = ({
  files,
  inUse,
  use,
  log,
}: {
  files: CertificateFiles
  inUse: Certificate
  use(next: Certificate): void
  log: Log
}): { validTo(): Date; close(): void } => {
  const watched = watchFiles({
    inUse,
    read: () => readCertificate(files),
    isSame: (one, other) => one.cert.equals(other.cert) && one.key.equals(other.key),
    use: (next) => {
      use(next)
      log.info('certificate replaced', { valid_to: next.validTo.toISOString() })
    },
    unusable: 'new certificate is not usable, the old one stays in use',
    log,
  })
  return { validTo: () => watched.inUse().validTo, close: watched.close }
}
