import { mailBounds } from './bounds.ts'

const maxChars = mailBounds.name.chars

/** Joins the parts of addresses of all kinds. Mail programs make links of what looks like one. */
const joints = /[.:/\\@\u3002]+(?=[^\s,])/gu
const unseen = /[\p{C}\p{Zl}\p{Zp}\s]+/gu

/**
 * A name that a customer chose, as it may stand in a mail of the operator: one line of at most 60 characters without anything that a mail
 * program makes a link of. `Pay at https://evil.example/now` becomes `Pay at https evil example now`.
 */
export const plainName = (name: string): string => {
  const line = name.toWellFormed().normalize('NFKC').replaceAll(unseen, ' ').replaceAll(joints, ' ')
  const chars = [...line.replaceAll(/ +/g, ' ').trim()]
  return chars.length <= maxChars ? chars.join('') : `${chars.slice(0, maxChars - 1).join('')}…`
}
