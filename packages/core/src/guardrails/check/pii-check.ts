import { type PiiKind, piiKinds, type Span, type SpanCheck } from '../rule.ts'
import { findCards, maxCardChars } from './card-number.ts'
import { findEmails, maxEmailChars } from './email-address.ts'
import { findIbans, maxIbanChars } from './iban.ts'
import { findIps, maxIpChars } from './ip-address.ts'
import { findNationalIds, maxNationalIdChars } from './national-id.ts'
import { createPhoneFinder, maxPhoneChars } from './phone-number.ts'
import { type Finder, mergeByRank } from './piece.ts'
import { onReadings } from './reading.ts'

type PiiRule = { kind: PiiKind; maxChars: number; noun: string; needs: 'digits' | 'nothing'; find: Finder }

/** The order decides where pieces overlap: what has the stronger checksum comes first. */
const rulesFor = (countries: readonly string[]): readonly PiiRule[] => [
  { kind: 'iban', maxChars: maxIbanChars, noun: 'a bank account number', needs: 'digits', find: findIbans },
  { kind: 'card', maxChars: maxCardChars, noun: 'a card number', needs: 'digits', find: findCards },
  { kind: 'national_id', maxChars: maxNationalIdChars, noun: 'a national id', needs: 'digits', find: findNationalIds },
  { kind: 'ip', maxChars: maxIpChars, noun: 'an IP address', needs: 'nothing', find: findIps },
  { kind: 'email', maxChars: maxEmailChars, noun: 'an e-mail address', needs: 'nothing', find: findEmails },
  {
    kind: 'phone',
    maxChars: maxPhoneChars,
    noun: 'a phone number',
    needs: 'digits',
    find: createPhoneFinder(countries),
  },
]

// Seven digits with little between them, or letters and digits as accounts and some ids begin or end.
const longNumber = /\d(?:[ ().\-/_+\u00a0\u2010-\u2013]{0,3}\d){6}|[A-Za-z]\d\d ?[A-Za-z0-9]|\d ?\d\d ?[A-Da-d]\b/

export const createPiiCheck = (params: { kinds: readonly PiiKind[]; countries: readonly string[] }): SpanCheck => {
  const kinds = params.kinds.length === 0 ? piiKinds : params.kinds
  const rules = rulesFor(params.countries).filter(({ kind }) => kinds.includes(kind))
  const find = (text: string): Span[] => {
    const hasDigits = longNumber.test(text)
    const lists = rules.map((rule): Span[] => {
      if (rule.needs === 'digits' && !hasDigits) return []
      const kind = rule.kind.toUpperCase()
      return rule.find(text).map(({ start, end }) => ({ start, end, kind }))
    })
    return mergeByRank(lists)
  }
  return {
    windowChars: Math.max(...rules.map(({ maxChars }) => maxChars)) + 2,
    reason: `It contains ${orList(rules.map(({ noun }) => noun))}`,
    find: onReadings(find),
  }
}

const orList = (nouns: readonly string[]): string =>
  nouns.length < 2 ? nouns.join('') : `${nouns.slice(0, -1).join(', ')} or ${nouns.at(-1)}`
