import { guardrailsBounds } from '../bounds.ts'
import { type Finder, findEach, type Piece } from './piece.ts'

export const maxIpChars = guardrailsBounds.ipAddress.chars

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const four = new RegExp(`(?<![\\w.\\-+])${octet}(?:\\.${octet}){3}(?![\\w\\-+]|\\.[\\w])`, 'g')
const six = /(?<![\w:.])(?:[0-9a-f]{1,4}:|::)[0-9a-f:]{1,37}(?:\d{1,3}(?:\.\d{1,3}){3})?(?![\w:]|\.\w)/gi
// Without one of them there is no such address.
const sixSign = /::|(?:[0-9a-f]{1,4}:){6}/i
// Four numbers after such a word are a version.
const versionWord = /(?:\bv|version|release|build|firmware|section|chapter|clause|oid)[\s:=#]*$/i
// Addresses that name no host: this host, nobody, everybody.
const nobody = /^(?:0\.0\.0\.0|127\.\d+\.\d+\.\d+|255\.255\.255\.255)$/

export const findIps: Finder = (text) => {
  const found = text.includes('.') ? findEach(text, four, (start, match) => acceptFour(text, start, match)) : []
  const longs = sixSign.test(text) ? findEach(text, six, (start, match) => acceptSix(start, match)) : []
  if (longs.length === 0) return found
  const isInLong = ({ start, end }: Piece) => longs.some((long) => start < long.end && end > long.start)
  return [...found.filter((piece) => !isInLong(piece)), ...longs].sort((a, b) => a.start - b.start)
}

const acceptFour = (text: string, start: number, match: string): number | null =>
  nobody.test(match) || versionWord.test(text.slice(Math.max(0, start - 12), start)) ? null : start + match.length

const acceptSix = (start: number, match: string): number | null => {
  const colons = match.split(':').length - 1
  // All eight groups, or two colons in the place of some. A time has neither.
  if (!(match.includes('::') || colons === 7 || (colons === 6 && match.includes('.'))) || !/\d/.test(match)) return null
  // `a::1` may be code. An address has three groups or begins as addresses in use do.
  const groups = match.split(/:+/).filter((group) => group !== '').length
  if (groups < 3 && !match.includes('.') && !/^(?:[23][0-9a-f]{3}|f[cde][0-9a-f]{2}):/i.test(match)) return null
  return isSix(match) ? start + match.length : null
}

const isSix = (text: string): boolean => {
  try {
    return new URL(`http://[${text}]/`).hostname !== '[::1]'
  } catch {
    return false
  }
}
