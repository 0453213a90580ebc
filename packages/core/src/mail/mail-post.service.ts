import type { Database } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Egress } from '@ars/platform/egress/egress'
import { EgressFailed, EgressRefused } from '@ars/platform/egress/failure'
import { fromUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { type Smtp, SmtpError } from '@ars/platform/mail/smtp'
import type { ClaimedItem, WorkQueue } from '@ars/platform/work/queue'
import { findEvent } from '../events/index.ts'
import type { SecretService } from '../secrets/index.ts'
import { holdRows } from '../work-rows.service.ts'
import type { WorkRows } from '../work-rows.sql.ts'
import { mailBounds } from './bounds.ts'
import { slackMessage, urlSealContext } from './destination.ts'
import { eventLetter } from './event-letter.ts'
import { type Letter, layOut } from './layout.ts'
import { linkLetter } from './link-letter.ts'
import {
  type EventMailKind,
  type LinkMailKind,
  linkSealContext,
  type MailOutcome,
  maxMailAttempts,
  pauseAfter,
} from './mail.ts'
import {
  beginMail,
  endMail,
  eventMailWork,
  type LeasedMail,
  linkMailWork,
  messageWork,
  repeatMail,
} from './mail-send.store.ts'

/** Mails with a link, mails about events, and messages for channels. None of them waits for another kind. */
export type MailQueues = Readonly<Record<'links' | 'events' | 'messages', WorkQueue<ClaimedItem>>>

export type OnMailEnded = (mail: { kind: string; outcome: MailOutcome }) => void

const destinationDeadlineMs = mailBounds.post.ms
const maxAnswerBytes = mailBounds.answer.bytes

type Deps = {
  deliveries: Database
  secrets: SecretService
  /** Undefined: the operator turned mail off after this mail was written. */
  smtp: Smtp | undefined
  /** Destinations are hosts of customers. */
  deliveryEgress: Pick<Egress, 'request'>
  config: { publicUrl: string }
  log: Log
  onMailEnded?: OnMailEnded
}

/** Why an attempt failed. `isFinal`: a repetition is of no use. `reason` holds no address, link or text of the other side. */
type Failure = { reason: string; isFinal: boolean }

export const createMailQueues = (deps: Deps): MailQueues => {
  const { deliveries, secrets, smtp, deliveryEgress, log, onMailEnded } = deps
  const service = new URL(deps.config.publicUrl)
  const dashboard = `${service.href.replace(/\/+$/, '')}/dashboard`

  /** Null: what the mail is about is no longer there. */
  const letterOf = async (mail: LeasedMail): Promise<Letter | null> => {
    const { id, org_id: org, organisation } = mail
    if (mail.link !== null) {
      const link = await secrets.open(org, mail.link, linkSealContext(id))
      return linkLetter(mail.kind as LinkMailKind, { organisation, link, service: service.host })
    }
    const row = mail.event_id === null ? null : await findEvent(deliveries, org, mail.event_id)
    if (!row) return null
    const event = { id: fromUuid('evt', row.id), data: row.data ?? {} }
    return eventLetter(mail.kind as EventMailKind, { event, organisation, dashboard })
  }

  const sendMail = async ({ id }: LeasedMail, to: string, letter: Letter): Promise<Failure | null> => {
    if (!smtp) return { reason: 'off', isFinal: false }
    try {
      await smtp.send({ id, to, ...layOut(letter) })
      return null
    } catch (error) {
      if (error instanceof SmtpError) return error
      throw error
    }
  }

  const postMessage = async (mail: LeasedMail, sealedUrl: Buffer, letter: Letter): Promise<Failure | null> => {
    const url = await secrets.open(mail.org_id, sealedUrl, urlSealContext(mail.destination_id ?? ''))
    try {
      const { status } = await deliveryEgress.request({
        url,
        org: mail.org_id,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: slackMessage(letter),
        deadlineMs: destinationDeadlineMs,
        maxBodyBytes: maxAnswerBytes,
      })
      if (status >= 200 && status < 300) return null
      // The channel was deleted, or the URL was never one: only 408 and 429 are worth another attempt.
      return { reason: `HTTP ${status}`, isFinal: status < 500 && status !== 408 && status !== 429 }
    } catch (error) {
      if (error instanceof EgressRefused) return { reason: 'refused', isFinal: true }
      if (error instanceof EgressFailed) return { reason: error.kind, isFinal: false }
      throw error
    }
  }

  const end = async (mail: LeasedMail, outcome: MailOutcome, error: string | null = null): Promise<void> => {
    // False: another sender has taken the mail meanwhile, and counts it.
    if (await endMail(deliveries, mail, { outcome, error })) onMailEnded?.({ kind: mail.kind, outcome })
  }

  const attempt = async (mail: LeasedMail): Promise<'sent' | 'dropped' | Failure> => {
    try {
      const letter = await letterOf(mail)
      if (!letter) return 'dropped'
      const { url, recipient } = mail
      const failure =
        url === null ? await sendMail(mail, recipient ?? '', letter) : await postMessage(mail, url, letter)
      return failure ?? 'sent'
    } catch (error) {
      if (error instanceof DatabaseUnavailable) throw error
      // A key service may be away. The pauses of a mail are made for that.
      log.error('a mail could not be made ready', { mail_id: mail.id, org_id: mail.org_id, error })
      return { reason: 'internal', isFinal: false }
    }
  }

  const send = async (mail: LeasedMail): Promise<void> => {
    const { recipient, url } = mail
    if (mail.attempts > maxMailAttempts) return end(mail, 'failed', 'interrupted')
    const outcome = recipient === null && url === null ? 'dropped' : await attempt(mail)
    if (typeof outcome === 'string') return end(mail, outcome)
    const failure = outcome
    const { reason } = failure
    const facts = { mail_id: mail.id, org_id: mail.org_id, kind: mail.kind, attempt: mail.attempts, reason }
    const afterSeconds = failure.isFinal ? null : pauseAfter(mail.attempts)
    if (afterSeconds === null) {
      log.warn('mail given up', facts)
      return end(mail, 'failed', reason)
    }
    log.info('mail failed, will be repeated', { ...facts, after_seconds: afterSeconds })
    return repeatMail(deliveries, mail, { error: reason, afterSeconds })
  }

  const queueOf = (name: string, rows: WorkRows): WorkQueue<ClaimedItem> => ({
    name,
    ...holdRows(rows, { system: deliveries, app: deliveries }),
    // No connection is held while the server is waited for. A process that dies here leaves the lease, and the mail is
    // repeated with the same id: it may arrive twice, and is never lost.
    work: async (held) => {
      const mail = await beginMail(deliveries, held)
      if (mail) await send(mail)
      return { kind: 'done' }
    },
    bury: async (held) => {
      const mail = await beginMail(deliveries, held)
      if (mail) await end(mail, 'failed', 'internal')
    },
  })

  return {
    links: queueOf('link-mails', linkMailWork),
    events: queueOf('event-mails', eventMailWork),
    messages: queueOf('messages', messageWork),
  }
}
