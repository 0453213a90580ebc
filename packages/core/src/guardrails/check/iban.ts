import { countrySpecs, isValidIBAN } from 'ibantools'
import { guardrailsBounds } from '../bounds.ts'
import { type Finder, findEach, isWordCode } from './piece.ts'

/** 34 characters in groups of four, and one more on each side. */
export const maxIbanChars = guardrailsBounds.iban.chars

const candidate = /(?<!\w)[A-Za-z]{2}\d\d(?=[ \-\u00a0]?[A-Za-z0-9])/g

/** After this many accounts the checksum alone decides, which bounds the cost of a text full of accounts. */
const maxChecked = guardrailsBounds.ibansChecked.count

export const findIbans: Finder = (text) => {
  let checked = 0
  return findEach(text, candidate, (start, match) => {
    const spec = (countrySpecs as Record<string, { chars?: number | null } | undefined>)[
      match.slice(0, 2).toUpperCase()
    ]
    if (!spec?.chars) return null
    let end = start
    let compact = ''
    while (compact.length < spec.chars && end - start < maxIbanChars) {
      const code = text.charCodeAt(end)
      if (isWordCode(code) && code !== 95) compact += text[end]
      // One separator, and only between groups.
      else if (!(code === 32 || code === 45 || code === 0xa0) || !isWordCode(text.charCodeAt(end + 1))) return null
      end++
    }
    if (compact.length !== spec.chars || isWordCode(text.charCodeAt(end))) return null
    const account = compact.toUpperCase()
    // The structure of a country's numbers is dear to check, and the checksum is cheap.
    return remainderOf(account) === 1 && (++checked > maxChecked || isValidIBAN(account)) ? end : null
  })
}

/** ISO 7064 MOD 97-10: the first four characters count last, letters from A = 10. */
const remainderOf = (account: string): number => {
  let rest = 0
  for (let i = 0; i < account.length; i++) {
    const code = account.charCodeAt((i + 4) % account.length)
    rest = code < 65 ? (rest * 10 + code - 48) % 97 : (rest * 100 + code - 55) % 97
  }
  return rest
}
