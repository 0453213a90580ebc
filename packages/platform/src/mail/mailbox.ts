import { platformBounds } from '../bounds.ts'

/** An address, and the name that mail programs show for it. */
export type Mailbox = { name: string; address: string }

// The parts of an address have these lengths by RFC 5321, in octets.
const maxLocalBytes = platformBounds.mailLocalPart.bytes
const maxDomainBytes = platformBounds.mailDomain.bytes

// Quoted local parts, comments, lists, routes and address literals are left out on purpose: each is a way to name a second recipient.
const local = /^[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+(\.[\p{L}\p{N}\p{M}!#$%&'*+/=?^_`{|}~-]+)*$/u
const domain =
  /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?(\.[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?)*$/u

/** Whether mail can be sent to this text, and to nobody else by it. */
export const isMailAddress = (text: string): boolean => {
  const [before = '', after = '', ...rest] = text.split('@')
  return (
    rest.length === 0 &&
    Buffer.byteLength(before) <= maxLocalBytes &&
    Buffer.byteLength(after) <= maxDomainBytes &&
    // An encoded word could be decoded to other characters by a program on the way.
    !text.includes('=?') &&
    local.test(before) &&
    domain.test(after)
  )
}

const maxNameChars = platformBounds.mailName.chars

/** `Name <address>` or an address. Null: neither. */
export const mailboxIn = (text: string): Mailbox | null => {
  const [, name = '', address = ''] = /^([^<>]*)<([^<>]+)>$/.exec(text.trim()) ?? ['', '', text.trim()]
  if (!isMailAddress(address) || name.length > maxNameChars || name.trim() !== headerText(name)) return null
  return { name: name.trim(), address }
}

const maxHeaderChars = platformBounds.mailHeader.chars

/**
 * Text for a header: one line without control characters, separators of lines, directions of writing and encoded words.
 * Names that customers choose appear in subjects.
 */
export const headerText = (text: string): string => {
  const line = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll('=?', '= ?')
    .replaceAll(/\s+/g, ' ')
    .trim()
  const chars = [...line]
  return chars.length <= maxHeaderChars ? line : `${chars.slice(0, maxHeaderChars - 1).join('')}…`
}
