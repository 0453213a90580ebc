import { errors, errorType, unavailableReasons } from '@ars/contract'
import { pageHead, table } from './markdown.ts'

/** The error page. The `doc_url` of an error ends in its code, so each code has a heading. */
export const errorsPage = (): string => {
  const entries = (Object.keys(errors) as (keyof typeof errors)[])
    .map((code) => ({ code, type: errorType(code), ...errors[code] }))
    .sort((left, right) => left.status - right.status || (left.code < right.code ? -1 : 1))
  const rows = entries.map(({ code, status, type, retry }) => {
    return [`[\`${code}\`](#${code})`, String(status), `\`${type}\``, retry ? 'yes' : 'no']
  })
  const sections = entries.map(({ code, status, meaning, advice, retry }) => {
    const lines = [
      `## ${code}`,
      `Status ${status}. ${meaning}`,
      `**What to do:** ${advice}`,
      `**${retryWords[`${retry}`]}**`,
      ...(code === 'unavailable' ? [reasons()] : []),
    ]
    return lines.join('\n\n')
  })
  return `${pageHead('Errors', '`packages/contract/src/errors.ts`')}
Every error response has the same body: \`{"error":{"type","code","message","reason","param","request_id","doc_url","details"}}\`.
In programs, branch on \`code\`; \`message\` is for people and can change. New codes can be added: treat an unknown code by
its status.

${table(['Code', 'Status', 'Type', 'Retry'], rows)}

${sections.join('\n\n')}
`
}

const reasons = (): string => {
  const rows = Object.entries(unavailableReasons).map(([reason, meaning]) => [`\`${reason}\``, meaning])
  return `\`reason\` says why. The log line of the request and \`ars_requests_refused_total\` have it too. New reasons can be added.\n\n${table(['Reason', 'Meaning'], rows)}`
}

const retryWords = {
  true: 'A retry can succeed.',
  false: 'A retry of the same request does not succeed.',
} as const
