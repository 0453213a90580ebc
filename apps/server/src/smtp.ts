import type { Config } from '@ars/core/config'
import type { Clock } from '@ars/platform/clock'
import { ConfigError } from '@ars/platform/config'
import { openSmtp, type Smtp } from '@ars/platform/mail/smtp'
import { certificatesIn } from './certificates.ts'

// A worker that stops waits for mails on their way, and has not much longer.
const timeoutMs = 20_000

/** The operator's mail server, for workers. Undefined: the service sends no mail. */
export const openMailServer = (
  { mailFrom, smtpUrl, smtpTls, smtpCaFile }: Pick<Config, 'mailFrom' | 'smtpUrl' | 'smtpTls' | 'smtpCaFile'>,
  clock: Clock,
): Smtp | undefined => {
  const extraCertificates = certificatesIn('ARS_SMTP_CA_FILE', smtpCaFile)
  if (mailFrom === undefined && smtpUrl === undefined) return undefined
  if (smtpUrl === undefined) throw new ConfigError('ARS_SMTP_URL: is missing; workers with ARS_MAIL_FROM need it')
  if (mailFrom === undefined) throw new ConfigError('ARS_MAIL_FROM: is missing; ARS_SMTP_URL needs it')
  return openSmtp({ server: smtpUrl, from: mailFrom, tls: smtpTls, extraCertificates, clock, timeoutMs })
}
