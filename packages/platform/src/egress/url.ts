import { platformBounds } from '../bounds.ts'
import type { AddressCheck } from './address.ts'

/**
 * Whether this URL may be called, judged by its text only, without a look-up. `reason` is for the person who wrote it.
 */
export type UrlVerdict = { ok: true; url: URL } | { ok: false; reason: string }

export type UrlRules = {
  readonly checkAddress: AddressCheck
  /** Allowed in addition to 443. `any` is for a test stack. */
  readonly allowPorts?: readonly number[] | 'any'
  /** For a test stack: allows http:// and port 80. */
  readonly allowPlainHttp?: boolean
  /** The operator allows a range of an internal network, so internal names are checked by their addresses. */
  readonly allowPrivateNames?: boolean
}

const maxLength = platformBounds.egressUrl.chars
const maxHostLength = platformBounds.egressHost.chars

export const createUrlCheck = (rules: UrlRules) => {
  return (text: string): UrlVerdict => {
    const fault = faultOfText(text, rules)
    if (fault) return refused(fault)
    const url = parse(text)
    if (!url) return refused('The address cannot be read. Check the host name and the port.')
    const wrong = faultOfPort(url, rules) ?? faultOfHost(url, rules)
    return wrong ? refused(wrong) : { ok: true, url }
  }
}

/** The host for a resolver or a socket: an IPv6 address without brackets. */
export const hostnameOf = (url: URL): string => url.hostname.replace(/^\[(.*)\]$/, '$1')

const refused = (reason: string): UrlVerdict => ({ ok: false, reason })

// Parsers disagree on unusual URLs (`https://evil.com\@127.0.0.1` is evil.com to one and 127.0.0.1 to another). They
// are rejected before any normalisation.
const faultOfText = (text: string, { allowPlainHttp }: UrlRules): string | undefined => {
  if (text.length > maxLength) return `The address is longer than ${maxLength} characters.`
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these characters are what is looked for.
  if (/[\u0000-\u0020\u007f-\u00a0\u2028\u2029\ufeff]/.test(text))
    return 'The address must not hold spaces, tabs, line breaks or control characters.'
  if (text.includes('\\')) return 'The address must not hold a backslash.'
  if (!(allowPlainHttp ? /^https?:\/\//i : /^https:\/\//i).test(text))
    return /^http:\/\/(localhost|127\.0\.0\.1)[:/]/i.test(text)
      ? 'The address must begin with https://. To receive events on your own computer, use `ars listen`.'
      : 'The address must begin with https://.'
  if (text.includes('#')) return 'The address must not hold a fragment (#).'
  const authority = /^[a-z]+:\/\/([^/?]*)/i.exec(text)?.[1] ?? ''
  if (authority === '') return 'The address names no host.'
  if (authority.includes('@')) return 'The address must not hold a user name or a password.'
  if (authority.includes('%')) return 'The host must not hold a percent sign.'
  return
}

const parse = (text: string): URL | undefined => (URL.canParse(text) ? new URL(text) : undefined)

const faultOfPort = (url: URL, { allowPorts = [], allowPlainHttp }: UrlRules): string | undefined => {
  const port = url.port === '' ? standardPort(url) : Number(url.port)
  const isAllowed = allowPorts === 'any' ? port > 0 : port === 443 || allowPorts.includes(port)
  if (isAllowed || (port === 80 && allowPlainHttp)) return
  const allowed = allowPorts === 'any' ? [443] : [443, ...allowPorts.filter((each) => each !== 443)]
  return `Port ${port} is not allowed. Allowed: ${allowed.join(', ')}. The operator allows more with ARS_EGRESS_ALLOW_PORTS.`
}

const standardPort = (url: URL): number => (url.protocol === 'https:' ? 443 : 80)

const faultOfHost = (url: URL, { checkAddress, allowPrivateNames }: UrlRules): string | undefined => {
  const host = hostnameOf(url)
  // `new URL` has normalised 0x7f.1, 2130706433 and circled letters; a host that ends in a number is an address.
  if (url.hostname.startsWith('[') || /^[\d.]+$/.test(host)) {
    const verdict = checkAddress(host)
    return verdict.ok ? undefined : `${host} is ${verdict.what}. Only hosts of the public Internet may be called.`
  }
  if (host.length > maxHostLength) return `The host name is longer than ${maxHostLength} characters.`
  const labels = host.split('.')
  if (!labels.every((label) => labelPattern.test(label))) return `${host} is not a host name.`
  if (metadataNames.includes(host)) return `${host} is a name of cloud metadata, which may not be called.`
  if (allowPrivateNames) return
  if (labels.length < 2 || privateEndings.some((ending) => host === ending || host.endsWith(`.${ending}`)))
    return `${host} is a name of a private network. Only hosts of the public Internet may be called.`
  return
}

// Empty labels are rejected, and with them a trailing dot: certificates and SNI do not support it.
const labelPattern = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

const metadataNames = ['metadata.google.internal', 'metadata.goog', 'instance-data', 'instance-data.ec2.internal']
// Reserved by RFC 6761, 6762, 7686, 8375, 9476 and by ICANN, or used inside networks by convention, Kubernetes, Consul, Docker
// and Nomad. None of them exists in the public DNS.
const privateEndings = [
  ...['localhost', 'localdomain', 'local', 'internal', 'home.arpa', 'onion', 'alt', 'home', 'corp', 'mail'],
  ...['lan', 'intranet', 'intra', 'private', 'svc', 'consul', 'docker', 'nomad'],
]
