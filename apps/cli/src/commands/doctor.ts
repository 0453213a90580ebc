import { connect } from 'node:tls'
import { ApiError } from '@agent-run-service/sdk'
import type { Command } from 'commander'
import { cliBounds } from '../bounds.ts'
import { withExamples } from '../describe.ts'
import { exitCodes } from '../exit-code.ts'
import { localTime } from '../moment.ts'
import { acting, openClient, type Session, settingsOfCall } from '../session.ts'
import { oneLine } from '../text.ts'

export const addDoctor = (program: Command): void => {
  withExamples(
    program
      .command('doctor')
      .description('check the address, the certificate, the clock, the key and the limits, and say what to correct')
      .action(acting(diagnose)),
    'ars doctor',
  )
}

type Finding = { check: string; is_ok: boolean; message: string }

const diagnose = async (session: Session) => {
  const { terminal, settings } = session
  const findings: Finding[] = []
  const note = (check: string, isOk: boolean, message: string): boolean => {
    findings.push({ check, is_ok: isOk, message })
    return isOk
  }
  const { baseUrl } = settingsOfCall(settings)
  const certificate = await readCertificate(new URL(baseUrl))
  // Each check needs the one before it.
  const isTrusted =
    note('address', certificate.kind !== 'unreachable', addressWords(baseUrl, certificate)) &&
    note('certificate', certificate.kind === 'trusted', certificateWords(certificate))
  if (isTrusted) await checkCalls(session, note)
  terminal.list({
    value: { object: 'list', data: findings },
    heads: ['', 'CHECK', 'FINDING'],
    rows: findings.map(({ check, is_ok: isOk, message }) => [isOk ? 'ok' : 'FAILED', check, message]),
    nothing: '',
  })
  return findings.every(({ is_ok: isOk }) => isOk) ? exitCodes.ok : exitCodes.failed
}

type Note = (check: string, isOk: boolean, message: string) => boolean

const maxSkewSeconds = cliBounds.clockSkew.seconds

const checkCalls = async ({ settings, signal }: Session, note: Note): Promise<void> => {
  const begunMs = Date.now()
  // The first response is the finding.
  const client = openClient(settings, { maxRetries: 0 })
  const request = client.request({ method: 'GET', path: '/agents', query: { limit: 1 }, signal })
  const answer = await request.withResponse().catch(refusalIn)
  const [error, { headers }] = answer instanceof ApiError ? [answer, answer] : [undefined, answer.response]
  checkClock(headers, begunMs, note)
  // A key may lack the scope of this call, or have no requests left.
  const isAccepted = error === undefined || error.status === 403 || error.status === 429
  note('key', isAccepted, error ? `${error.code}: ${oneLine(error.serviceMessage)}` : 'the service accepts the key')
  const [limit, left] = ['limit', 'remaining'].map((name) => headers.get(`x-ratelimit-${name}`))
  if (left !== null) note('limits', Number(left) > 0, `${left} of ${limit} requests are left`)
}

const refusalIn = (error: unknown): ApiError => {
  if (error instanceof ApiError) return error
  throw error
}

/** Signatures of webhooks and ends of keys depend on both clocks. */
const checkClock = (headers: Headers, begunMs: number, note: Note): void => {
  const date = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(date)) return
  const seconds = Math.round(Math.abs(date - begunMs) / 1_000)
  note('clock', seconds <= maxSkewSeconds, `this computer and the service differ by ${seconds} s`)
}

type Certificate =
  | { kind: 'unreachable'; reason: string }
  | { kind: 'trusted' | 'untrusted'; reason: string; until: string }

const connectTimeoutMs = cliBounds.connect.ms

const readCertificate = (url: URL): Promise<Certificate> =>
  new Promise((resolve) => {
    const host = url.hostname.replace(/^\[|\]$/g, '')
    const socket = connect({
      host,
      port: Number(url.port || 443),
      rejectUnauthorized: false,
      ...(/^[\d.:]+$/.test(host) ? {} : { servername: host }),
    })
    const end = (certificate: Certificate): void => {
      socket.destroy()
      resolve(certificate)
    }
    socket.setTimeout(connectTimeoutMs, () =>
      end({ kind: 'unreachable', reason: `no answer within ${connectTimeoutMs / 1_000} s` }),
    )
    socket.once('error', (error) => end({ kind: 'unreachable', reason: error.message }))
    socket.once('secureConnect', () => {
      const { valid_to: expiry } = socket.getPeerCertificate()
      const until = expiry === undefined ? '' : localTime(new Date(expiry).toISOString())
      const reason = socket.authorized ? '' : String(socket.authorizationError)
      end({ kind: socket.authorized ? 'trusted' : 'untrusted', reason, until })
    })
  })

const addressWords = (baseUrl: string, certificate: Certificate): string =>
  certificate.kind === 'unreachable' ? `${baseUrl} does not answer: ${certificate.reason}` : `${baseUrl} answers`

const certificateWords = (certificate: Certificate): string => {
  if (certificate.kind === 'trusted') return `trusted, valid until ${certificate.until}`
  return `not trusted (${certificate.reason}); name its authority with --ca-file or ARS_CA_FILE`
}
