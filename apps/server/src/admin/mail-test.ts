import { Config } from '@ars/core/config'
import { systemClock } from '@ars/platform/clock'
import { ConfigError, parseConfig } from '@ars/platform/config'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { SmtpError } from '@ars/platform/mail/smtp'
import { openMailServer } from '../smtp.ts'
import { type Command, emailOf, tell } from './command.ts'

/** `admin mail-test`: sends one mail at once, past the queue. */
export const mailTest: Command = {
  usage: '--to E [--json]',
  does: 'send a test mail over the configured server',
  options: { to: { type: 'string' }, json: { type: 'boolean' } },
  run: async (env, values) => {
    const to = emailOf(values, 'to').trim()
    const config = parseConfig(Config, env)
    const smtp = openMailServer(config, systemClock)
    if (!smtp) throw new ConfigError('Set ARS_MAIL_FROM and ARS_SMTP_URL')
    const id = toUuid(createIdMaker(systemClock)('mail'))
    const text = `This is a test mail of the Agent Run Service at ${config.publicUrl}.`
    try {
      await smtp.send({
        id,
        to,
        subject: 'Test mail',
        text: `${text}\n`,
        html: `<p>${text.replaceAll('&', '&amp;')}</p>\n`,
      })
    } catch (error) {
      if (!(error instanceof SmtpError)) throw error
      process.stderr.write(`The mail server refused: ${error.message}\nRun ars-server doctor for advice.\n`)
      return 1
    }
    return tell(values, { to, message_id: id }, [`The mail server took a mail for ${to}.`])
  },
}
