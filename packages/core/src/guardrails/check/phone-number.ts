import { type CountryCode, isSupportedCountry, parsePhoneNumberFromString } from 'libphonenumber-js/max'
import { guardrailsBounds } from '../bounds.ts'
import { digitsOf, type Finder, findEach } from './piece.ts'

/** A word before the number that says what it is. */
const contextChars = 40
/** 15 digits with separators, an international prefix, and the word before. */
export const maxPhoneChars = guardrailsBounds.phoneNumber.chars

/** After this many possible numbers the shape alone decides, which bounds the cost of a text full of numbers. */
const maxParsed = guardrailsBounds.phoneNumbersParsed.count

const between = '[ ().\\-/\\u00a0\\u2010-\\u2013]'
const candidate = new RegExp(
  `(?<![\\w+]|[\\d)][.,\\-/:])(?:\\+\\(?|\\(\\+?)?\\d(?:${between}{0,3}\\d){6,14}(?!\\w)`,
  'g',
)
const separators = new RegExp(`${between}+`)
// The plan of North America: three digits, three digits, four digits.
const northAmerica =
  /\(?(?:1[ .\-\u00a0]?)?(?:\(?[2-9]\d\d\) ?|[2-9]\d\d[ .\-/\u00a0]|[2-9]\d\d)[2-9]\d\d[ .\-\u00a0]?\d{4}(?!\w|[.\-/]\d)/y
const isSplit = /\d[ .\-)/\u00a0]+\d{3}[ .\-\u00a0]\d{4}$/
const date =
  /^(?:(?:19|20)\d\d[-./ ][01]?\d[-./ ][0-3]?\d(?!\d)|[0-3]?\d[-./ ][0-3]?\d[-./ ](?:19|20)?\d\d(?!\d)|(?:19|20)\d\d ?[-\u2010-\u2013/] ?(?:19|20)\d\d$)/
const phoneWord =
  /\b(?:phone|tel|telefono?|telephone|call|cell|mobile?|handy|fax|contact|reach|ring|dial|sms|text|whatsapp|signal)\b/i

export const isPhoneCountry = (country: string): boolean => isSupportedCountry(country.toUpperCase())

export const createPhoneFinder = (countries: readonly string[]): Finder => {
  const known = countries.map((country) => country.toUpperCase()).filter((country) => isSupportedCountry(country))
  const american = known.find((country) => country === 'US' || country === 'CA')
  const others = known.filter((country) => country !== 'US' && country !== 'CA')
  return (text) => {
    let parsed = 0
    const isValid = (digits: string, country?: CountryCode): boolean => {
      if (++parsed > maxParsed) return true
      const options = { extract: false, ...(country && { defaultCountry: country }) }
      return parsePhoneNumberFromString(country ? digits : `+${digits}`, options)?.isValid() ?? false
    }
    const hasWord = (start: number): boolean => phoneWord.test(text.slice(Math.max(0, start - contextChars), start))

    const endOfAmerican = (start: number): number | null => {
      northAmerica.lastIndex = start
      const shown = northAmerica.exec(text)?.[0]
      if (shown === undefined || !(isSplit.test(shown) || hasWord(start))) return null
      return isValid(digitsOf(shown), american) ? start + shown.length : null
    }
    /** Elsewhere groups differ. A number without any is a number of something else unless a word says so. */
    const isOther = (start: number, shown: string): boolean => {
      const groups = shown.split(separators).filter((group) => group !== '')
      if (groups.length > 6 || groups.some((group) => group.length === 1) || date.test(shown)) return false
      return (groups.length > 1 || hasWord(start)) && others.some((country) => isValid(digitsOf(shown), country))
    }
    return findEach(text, candidate, (start, match) => {
      const isInternational = match.slice(0, 2).includes('+')
      if (!isInternational && american) {
        const end = endOfAmerican(start)
        if (end !== null) return end
      }
      if (!isInternational && others.length === 0) return null
      // Other numbers may follow: the longest piece that is a phone number, cut at separators.
      let shown = match
      for (let cuts = 0; cuts < 4; cuts++) {
        if (isInternational ? isValid(digitsOf(shown)) : isOther(start, shown)) return start + shown.length
        const cut = lastGroup.exec(shown)?.index
        if (cut === undefined) return null
        shown = shown.slice(0, cut)
      }
      return null
    })
  }
}

const lastGroup = new RegExp(`(?<=\\d)${between}+\\d+$`)
