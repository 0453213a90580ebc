import type { Parts } from '@ars/core'
import { describe, type Finding } from './finding.ts'

const what = 'mail server'

/** Connects, demands TLS, checks the certificate and logs in. It sends nothing. */
export const checkMail = async ({ smtp, keyring, config }: Parts): Promise<Finding[]> => {
  if (!smtp || !config.smtpUrl) return [{ what, found: 'off: the service sends no mail' }]
  const found = `${config.smtpUrl.host}:${config.smtpUrl.port}`
  try {
    await smtp.check()
  } catch (error) {
    return [{ what, found: `${found}: ${describe(error)}`, advice: adviceFor(error) }]
  }
  if (keyring) return [{ what, found }]
  return [{ what, found, advice: 'Set ARS_KEK_FILE. Without a key, links are not sent by mail, only notifications.' }]
}

const adviceFor = (error: unknown): string => {
  const text = describe(error)
  if (/auth|535|credential/i.test(text)) return 'Check the user and the password in ARS_SMTP_URL (percent-encoded).'
  if (/certificate|self-signed|altname/i.test(text))
    return 'Use the name in the certificate in ARS_SMTP_URL, or name its authority with ARS_SMTP_CA_FILE.'
  if (/tls/i.test(text))
    return 'The server must offer STARTTLS (smtp://) or TLS (smtps://). For a server on this machine without TLS, set ARS_SMTP_TLS=off.'
  return 'Check ARS_SMTP_URL, and that workers reach this host and port. Mails wait and are repeated for about 21 hours.'
}
