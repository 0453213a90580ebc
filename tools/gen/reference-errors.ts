import { errors, errorType } from '@ars/contract'
import { pageHead, table } from './markdown.ts'

/** The error page. An error's `doc_url` ends in its code, so each code is a heading of its own. */
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
    ]
    return lines.join('\n\n')
  })
  return `${pageHead('Errors', '`packages/contract/src/errors.ts`')}
Every refusal has the same body: \`{"error":{"type","code","message","param","request_id","doc_url","details"}}\`.
Programs decide by \`code\`; \`message\` is for people and may change. Codes may be added: treat one that you do not know
by its status.

${table(['Code', 'Status', 'Type', 'Does a retry help?'], rows)}

${sections.join('\n\n')}
`
}

const retryWords = {
  true: 'A retry may help.',
  false: 'A retry of the same request does not help.',
} as const
