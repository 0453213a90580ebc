import { guardrailsBounds } from '../bounds.ts'
import type { Span, SpanCheck } from '../rule.ts'
import { findEach } from './piece.ts'
import { onReadings } from './reading.ts'

/** A longer scheme and authority is of no use to people and counts as not allowed. */
const maxAuthorityChars = guardrailsBounds.urlAuthority.chars
/** The path that is found with the host. The rest of a longer one is text. */
const maxUrlChars = guardrailsBounds.url.chars

// Browsers take a backslash for a slash and any number of slashes after a scheme of the web. Without a scheme an address begins a
// word and its host has a dot.
const candidate =
  /(?<![a-z0-9+.-])(?:(?:https?|wss?|ftp):[\\/]*(?=[^\s\\/])|[a-z][a-z0-9+.-]{1,20}:\/\/(?=[^\s/])|(?<![\w:\\/])[\\/]{2}(?=[^\s\\/"'<>()]+\.[^\s\\/])|www\d?\.(?=[^\s.]))/gi
const authorityEnd = /[\s\\/?#"<>`|]|$/g
const urlEnd = /[\s"<>`]|$/g
const hostPart = /^(?:\[[0-9a-f:.]+\]|[\p{L}\p{N}\p{M}._~%\-\u3002\uff0e\uff61]+)/iu
const trailing = ".,;:!?'*_)]}"

export const urlWindowChars = maxAuthorityChars + 32

/** Finds addresses whose host is not allowed: `example.com` allows this host, `*.example.com` the hosts below it. */
export const createUrlCheck = (params: { hosts: readonly string[] }): SpanCheck => {
  const hosts = new Set<string>()
  const parents = new Set<string>()
  for (const written of params.hosts) {
    const host = plainHost(written.replace(/^\*\./, ''))
    if (host !== null) (written.startsWith('*.') ? parents : hosts).add(host)
  }
  const isAllowed = (host: string): boolean => {
    if (hosts.has(host)) return true
    for (let dot = host.indexOf('.'); dot >= 0; dot = host.indexOf('.', dot + 1))
      if (parents.has(host.slice(dot + 1))) return true
    return false
  }
  const accept = (text: string, start: number, lead: string): number | null => {
    const begin = /^www/i.test(lead) ? start : start + lead.length
    const view = text.slice(begin, begin + maxAuthorityChars)
    const authority = view.slice(0, endOf(view, authorityEnd))
    const written = hostPart.exec(authority.slice(authority.lastIndexOf('@') + 1))?.[0]
    // `https:` in a sentence, or a colon before something that is no host.
    if (written === undefined) return authority.length < maxAuthorityChars ? null : begin + maxAuthorityChars
    const host = plainHost(written.replace(/[._~%-]+$/, ''))
    if (authority.length < maxAuthorityChars && (host === '' || (host !== null && isAllowed(host)))) return null
    const rest = text.slice(begin, begin + maxUrlChars)
    const whole = rest.slice(0, endOf(rest, urlEnd))
    let chars = whole.length
    while (chars > written.length && trailing.includes(whole[chars - 1] ?? '')) chars--
    return begin + Math.max(written.length, chars)
  }
  const find = (text: string): Span[] => {
    if (!/[\\/]{2}|https?:|wss?:|ftp:|www\d?\./i.test(text)) return []
    return findEach(text, candidate, (start, lead) => accept(text, start, lead)).map((piece) => ({
      ...piece,
      kind: 'URL',
    }))
  }
  return {
    windowChars: urlWindowChars,
    reason: 'It contains a link to a host that is not allowed',
    find: onReadings(find),
  }
}

const endOf = (text: string, end: RegExp): number => {
  end.lastIndex = 0
  return end.exec(text)?.index ?? text.length
}

/** The host as browsers understand it: lower case, Punycode, addresses in their usual form. Null: no host. */
export const plainHost = (written: string): string | null => {
  if (written === '') return ''
  try {
    return new URL(`http://${written}/`).hostname.replace(/\.$/, '')
  } catch {
    return null
  }
}
