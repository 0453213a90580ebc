import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { ConfigError } from '@ars/platform/config'

/** The certificates in the file of a setting, PEM. An invalid one stops the start, and the setting is named. */
export const certificatesIn = (variable: string, file: string | undefined): string[] => {
  if (file === undefined) return []
  try {
    const pem = readFileSync(file, 'utf8')
    const found = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    if (found.length === 0) throw new Error('the file contains no certificate')
    for (const certificate of found) new X509Certificate(certificate)
    return [...found]
  } catch (error) {
    throw new ConfigError(`${variable}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  }
}
