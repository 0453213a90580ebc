import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { Config } from '@ars/core/config'
import { readCertificate } from '../gateway/listen/certificate.ts'
import { describe, type Finding } from './finding.ts'

const certificateDaysLeast = 14
const dayMs = 86_400_000

/** The files can be used together, and the certificate is valid for long enough and for the public address. */
export const checkCertificate = (config: Config, now: Date): Finding[] => {
  const what = 'certificate'
  try {
    const { cert, validTo } = readCertificate({ certFile: config.tlsCertFile, keyFile: config.tlsKeyFile })
    const days = Math.floor((validTo.getTime() - now.getTime()) / dayMs)
    const found = `valid for ${days} days`
    const advice = 'Renew it. Gateways use the new files within seconds, without a restart.'
    return [
      days >= certificateDaysLeast ? { what, found } : { what, found, advice },
      checkNames(new X509Certificate(cert), config),
    ]
  } catch (error) {
    return [{ what, found: describe(error), advice: 'Check ARS_TLS_CERT_FILE and ARS_TLS_KEY_FILE.' }]
  }
}

const checkNames = (certificate: X509Certificate, { publicUrl, trustedProxies }: Config): Finding => {
  const what = 'certificate names'
  const host = new URL(publicUrl).hostname.replace(/^\[|\]$/g, '')
  const isNamed = isIP(host) ? certificate.checkIP(host) : certificate.checkHost(host)
  if (isNamed) return { what, found: `the certificate is for ${host}` }
  // A proxy that ends TLS shows its own certificate to the clients.
  if (trustedProxies.length > 0) return { what, found: `not for ${host}, where a trusted proxy answers` }
  return {
    what,
    found: `the certificate is not for ${host}, the host of ARS_PUBLIC_URL`,
    advice: `Clients refuse it. Request a certificate for ${host}, or correct ARS_PUBLIC_URL.`,
  }
}
