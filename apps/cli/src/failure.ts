import { AgentRunServiceError, ApiError, ConnectionError } from '@agent-run-service/sdk'
import { CommanderError } from 'commander'
import { cliBounds } from './bounds.ts'
import { CommandError, type ExitCode, exitCodes } from './exit-code.ts'
import { clean, oneLine, toJson } from './text.ts'

export type Failure = {
  code: string
  message: string
  advice: string | null
  requestId: string | null
  docUrl: string | null
  details: readonly string[]
  exitCode: ExitCode
}

/** A failure, for people and for scripts. */
export const failureOf = (error: unknown): Failure => {
  if (error instanceof ApiError) return ofAnswer(error)
  if (error instanceof ConnectionError) return { ...bare, ...ofConnection(error), exitCode: exitCodes.unavailable }
  if (error instanceof CommandError) {
    const { code, message, advice, exitCode, details } = error
    return { ...bare, code, message, advice, exitCode, details }
  }
  // Commander has already printed the message.
  if (error instanceof CommanderError)
    return { ...bare, code: 'usage', message: error.message, exitCode: exitCodes.usage }
  if (error instanceof AgentRunServiceError) return { ...bare, code: 'client', message: error.message }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  return { ...bare, code: 'bug', message, advice: 'This is a bug in ars. Please report it.' }
}

export const printFailure = (failure: Failure, { isJson }: { isJson: boolean }): string => {
  const { code, message, advice, requestId, docUrl, details, exitCode } = failure
  if (isJson) {
    const error = { code, message, advice, request_id: requestId, doc_url: docUrl, details, exit_code: exitCode }
    return toJson({ error }, 2)
  }
  return [
    `Error: ${code === 'bug' ? message : oneLine(message, cliBounds.faultLine.chars)}${requestId === null ? '' : ` (${code})`}`,
    ...details.flatMap(detailLines),
    ...(advice === null ? [] : [advice]),
    ...(requestId === null ? [] : [`Request id: ${oneLine(requestId)}`]),
  ].join('\n')
}

/** The first line as a sentence, the others as they are: they are lines of a file. */
const detailLines = (detail: string): string[] => {
  const [first = '', ...others] = detail.split('\n')
  return [`  - ${oneLine(first, cliBounds.detailLine.chars)}`, ...others.map((line) => `    ${clean(line)}`)]
}

const bare: Failure = {
  code: 'bug',
  message: '',
  advice: null,
  requestId: null,
  docUrl: null,
  details: [],
  exitCode: exitCodes.failed,
}

const ofAnswer = (error: ApiError): Failure => ({
  code: error.code,
  message: error.serviceMessage,
  advice: adviceOn(error),
  requestId: error.requestId,
  docUrl: error.docUrl,
  details: error.details
    .map((detail) => oneLine(detailWords(detail), cliBounds.detailLine.chars))
    .filter((words) => !words.endsWith(error.serviceMessage)),
  exitCode: exitCodeOf(error.status),
})

/** The exit code for a response with this status. */
export const exitCodeOf = (status: number): ExitCode => {
  if (status === 401 || status === 403) return exitCodes.denied
  if (status === 404) return exitCodes.notFound
  if (status === 429 || status >= 500) return exitCodes.unavailable
  return status === 400 ? exitCodes.usage : exitCodes.failed
}

/** Advice for the most common codes; for all others the error page of the service. */
const adviceOn = ({ code, docUrl, retryAfterMs }: ApiError): string | null => {
  const known = advice[code]
  if (known !== undefined) return known
  if (retryAfterMs !== null) return `Retry in ${Math.ceil(retryAfterMs / 1_000)} s.`
  return docUrl === null ? null : `What to do: ${docUrl}`
}

const advice: Readonly<Record<string, string>> = {
  unauthorized: 'Log in with a valid key: ars login. Show the current key: ars config show',
  forbidden: 'Use a key with this scope. Show the current key: ars config show',
  not_found: 'Check the id, and that the key belongs to the organisation that owns it: ars config show',
  url_not_allowed:
    'Use HTTPS and a host of the public Internet. For a program on this computer: ars listen --forward-to http://localhost:3000/hook',
  webhook_inactive: 'Enable it first: ars webhooks enable <id>',
  recovery_running:
    'Show its progress: ars webhooks recoveries <id>. Cancel it: ars webhooks cancel-recovery <id> <recovery>',
}

const detailWords = (detail: unknown): string => {
  const { param, message } = (detail ?? {}) as { param?: unknown; message?: unknown }
  if (typeof param === 'string' && typeof message === 'string' && message.includes(param)) return message
  return [param, message].filter((part) => typeof part === 'string').join(': ')
}

const ofConnection = (error: ConnectionError): Pick<Failure, 'code' | 'message' | 'advice'> => {
  const cause = deepest(error)
  // The part after the semicolon is advice about starting Node, not for the user of `ars`.
  const reason = cause.message.split(';')[0] || codeOf(cause)
  const why = cause === error ? error.message : `${error.message.replace(/ \(.*\)$/s, '')}: ${reason}`
  if (untrusted.has(codeOf(cause))) {
    return {
      code: 'certificate_not_trusted',
      message: why,
      advice: 'Pass the certificate of the service: --ca-file <file>',
    }
  }
  return { code: 'no_connection', message: why, advice: 'Check the base URL with: ars config show' }
}

const deepest = (error: Error): Error => {
  const { cause } = error
  if (cause instanceof AggregateError && cause.errors[0] instanceof Error) return cause.errors[0]
  return cause instanceof Error ? deepest(cause) : error
}

const codeOf = (error: Error): string => String((error as { code?: unknown }).code ?? error.name)

const untrusted: ReadonlySet<string> = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
])
