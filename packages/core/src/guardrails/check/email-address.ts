import { guardrailsBounds } from '../bounds.ts'
import { maxSpans } from '../rule.ts'
import { type Finder, isWordCode, type Piece } from './piece.ts'

export const maxEmailChars = guardrailsBounds.emailAddress.chars
const maxLocalChars = guardrailsBounds.emailLocalPart.chars

const isLocalCode = (code: number): boolean => isWordCode(code) || (code < 128 ? marks.has(code) : isLetter(code))
const isDomainCode = (code: number): boolean =>
  isWordCode(code) || code === 45 || code === 46 || (code > 127 && isLetter(code))
const isLetter = (code: number): boolean => /^[\p{L}\p{M}\p{N}]$/u.test(String.fromCharCode(code))
const marks = new Set([..."!#$%&'*+-./=?^`{|}~"].map((mark) => mark.charCodeAt(0)))

const domainShape = /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}_-]{0,61}[\p{L}\p{N}])?\.)+(?:xn--[a-z0-9-]{2,59}|\p{L}{2,24})/iu
// Names of files such as icon@2x.png. None of them is a top-level domain.
const fileEnding = /\.(?:png|jpe?g|gif|svg|webp|avif|css|m?[jt]sx?|json|html?|pdf|txt|xml|yaml|yml|toml|gz)$/i

export const findEmails: Finder = (text) => {
  const pieces: Piece[] = []
  let last = 0
  for (let at = text.indexOf('@'); at >= 0 && pieces.length < maxSpans; at = text.indexOf('@', at + 1)) {
    const end = domainEnd(text, at)
    if (end === null) continue
    const start = localStart(text, at, last)
    if (start === null || end - start > maxEmailChars || isAddressOfHost(text, start, at, end)) continue
    pieces.push({ start, end })
    last = end
  }
  return pieces
}

const domainEnd = (text: string, at: number): number | null => {
  let end = at + 1
  const limit = Math.min(text.length, at + maxEmailChars)
  while (end < limit && isDomainCode(text.charCodeAt(end))) end++
  const domain = domainShape.exec(text.slice(at + 1, end))?.[0]
  if (domain === undefined || fileEnding.test(domain)) return null
  // A version of a package, such as tool@1.2.3-beta.rc.
  if (/^\d+\.\d+\./.test(domain)) return null
  const next = text.charCodeAt(at + 1 + domain.length)
  return isWordCode(next) ? null : at + 1 + domain.length
}

const localStart = (text: string, at: number, last: number): number | null => {
  let start = at
  const limit = Math.max(last, at - maxLocalChars)
  while (start > limit && isLocalCode(text.charCodeAt(start - 1))) start--
  // Punctuation at the beginning belongs to the sentence; a dot cannot be the last character.
  while (start < at && marks.has(text.charCodeAt(start))) start++
  return start === at || text.charCodeAt(at - 1) === 46 ? null : start
}

/** The login of an address, such as https://user:word@host or git@host:path. */
const isAddressOfHost = (text: string, start: number, at: number, end: number): boolean =>
  (text[end] === ':' && /^:(?:[/~]|[\w.-]+\/)/.test(text.slice(end, end + 40))) ||
  text.slice(start, at).includes('//') ||
  (':/'.includes(text[start - 1] ?? ' ') && /:\/\/[^\s/]*$/.test(text.slice(Math.max(0, start - 80), start)))
