import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import { EgressFailed, EgressRefused } from '@ars/platform/egress/failure'
import { fromUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { type Smtp, SmtpError } from '@ars/platform/mail/smtp'
import { findEvent } from '../events/index.ts'
import type { SecretService } from '../secrets/index.ts'
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
import { endMail, type LeasedMail, leaseMails, repeatMail } from './mail-send.store.ts'

/** Sends mails and messages that are due. Answers how many it took. */
export type MailPost = { sendSome(): Promise<number> }

export type OnMailEnded = (mail: { kind: string; outcome: MailOutcome }) => void

/** They are sent at the same time, so that a round lasts as long as the slowest of them. */
export const mailsPerBatch = 10
/** Longer than the time limit of one mail, so that no second sender takes a mail that is on its way. */
const leaseSeconds = 120
const destinationDeadlineMs = 15_000
const maxAnswerBytes = 4_096

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

export const createMailPost = (deps: Deps): MailPost => {
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

  const send = async (mail: LeasedMail): Promise<void> => {
    const { recipient, url } = mail
    if (mail.attempts > maxMailAttempts) return end(mail, 'failed', 'interrupted')
    const letter = recipient === null && url === null ? null : await letterOf(mail)
    if (!letter) return end(mail, 'dropped')
    const failure = url === null ? await sendMail(mail, recipient ?? '', letter) : await postMessage(mail, url, letter)
    if (!failure) return end(mail, 'sent')
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

  return {
    // No connection is held while the server is waited for. A process that dies here leaves the lease, and the mail is
    // repeated with the same id: it may arrive twice, and is never lost.
    sendSome: async () => {
      const mails = await leaseMails(deliveries, { count: mailsPerBatch, leaseSeconds })
      const outcomes = await Promise.allSettled(mails.map(send))
      const fault = outcomes.find((outcome) => outcome.status === 'rejected')
      if (fault) throw fault.reason
      return mails.length
    },
  }
}
