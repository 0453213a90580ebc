import { type ErrorCode, errors, errorType, unavailableReasons } from '@ars/contract'
import { inline, pageOf, type Surroundings, table } from './html.ts'

/** The page behind `doc_url`: one section for each code, with the code as its anchor. */
export const errorsPage = (surroundings: Surroundings): string => {
  const codes = (Object.keys(errors) as ErrorCode[]).sort(
    (left, right) => errors[left].status - errors[right].status || (left < right ? -1 : 1),
  )
  const rows = codes.map((code) => [
    `<a href="#${code}"><code>${code}</code></a>`,
    String(errors[code].status),
    `<code>${errorType(code)}</code>`,
    errors[code].retry ? 'yes' : 'no',
  ])
  const sections = codes.map((code) => {
    const { status, meaning, advice, retry } = errors[code]
    return `<section id="${code}"><h2>${code}</h2>
<p>Status ${status}. ${inline(meaning)}</p>
<p><strong>What to do:</strong> ${inline(advice)}</p>
<p>${retry ? 'A retry of the same request can succeed.' : 'A retry of the same request does not succeed.'}</p>${code === 'unavailable' ? reasons() : ''}</section>`
  })
  const page = {
    title: 'Errors',
    nav: `<ul>${codes.map((code) => `<li><a href="#${code}">${code}</a></li>`).join('\n')}</ul>`,
    body: `<p>Every error response has the same body: <code>{"error":{"type","code","message","reason","param","request_id","doc_url","details"}}</code>.
In programs, branch on <code>code</code>; <code>message</code> is for people and can change. New codes can be added: treat an unknown code by its status.</p>
${table(['Code', 'Status', 'Type', 'Retry'], rows)}
${sections.join('\n')}`,
  }
  return pageOf(page, surroundings)
}

const reasons = (): string =>
  `<p><code>reason</code> says why. New reasons can be added.</p>
${table(
  ['Reason', 'Meaning'],
  Object.entries(unavailableReasons).map(([reason, meaning]) => [`<code>${reason}</code>`, inline(meaning)]),
)}`
