import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { metadataAddresses, publicRangesOfIpv6, type SpecialRange, specialRanges } from './special-ranges.ts'

/** Whether this address may be called. `address` is its canonical spelling; `what` says why not. */
export type AddressVerdict = { ok: true; address: string } | { ok: false; what: string }

export type AddressCheck = (text: string) => AddressVerdict

/**
 * Checks an address by its bytes, not its spelling. An IPv6 address that embeds an IPv4 address is also checked by the
 * latter, because a translator or tunnel would unwrap it. Unparsable addresses are rejected.
 */
export const createAddressCheck = (allowRanges: readonly string[] = []): AddressCheck => {
  const allowed = allowRanges.map(parseRange)

  const judge = (address: Address): AddressVerdict => {
    if (address.kind() === 'ipv6') {
      if (isIn(mapped)(address)) return judge(ipv4(address.toByteArray().slice(12)))
      for (const inner of embeddedIn(address.toByteArray())) {
        const verdict = judge(inner)
        if (!verdict.ok) return { ok: false, what: `${verdict.what}, in the form of IPv6` }
      }
    }
    const special = metadataRanges.find(isAround(address)) ?? ranges.find(isAround(address))
    if (special?.always) return refusedAs(special)
    if (allowed.some((range) => isIn(range)(address))) return { ok: true, address: address.toString() }
    if (special) return refusedAs(special)
    if (address.kind() === 'ipv6' && !publicRanges.some((range) => isIn(range)(address)))
      return { ok: false, what: 'not an address of the public Internet' }
    return { ok: true, address: address.toString() }
  }

  return (text) => {
    const address = parseAddress(text)
    return address ? judge(address) : { ok: false, what: 'not an address' }
  }
}

/** Parses `10.0.0.0/8`. Throws a message for the operator. */
export const parseRange = (text: string): Range => {
  const [, network = '', bits = ''] = /^([^/]+)\/(\d{1,3})$/.exec(text) ?? []
  const address = parseAddress(network)
  if (!address || Number(bits) > address.toByteArray().length * 8)
    throw new Error(`${text} is not a range of addresses; write it like 10.0.0.0/8 or fd00::/8`)
  const first = (address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6).networkAddressFromCIDR(text)
  if (first.toString() !== address.toString())
    throw new Error(`${text} is not a range of addresses; did you mean ${first}/${bits}?`)
  return [address, Number(bits)]
}

type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Range = [Address, number]

// Node's check comes first: the library also accepts octal, hexadecimal and short forms, which no resolver returns.
const parseAddress = (text: string): Address | undefined =>
  isIP(text) !== 0 && !text.includes('%') && ipaddr.isValid(text) ? ipaddr.parse(text) : undefined

const ipv4 = (bytes: readonly number[]): ipaddr.IPv4 => new ipaddr.IPv4([...bytes])

const isIn =
  (range: Range) =>
  (address: Address): boolean =>
    address.kind() === range[0].kind() && address.match(range)

type ParsedRange = { readonly range: Range; readonly what: string; readonly always: boolean }

const parsed = ({ range, what, always }: SpecialRange): ParsedRange => ({
  range: parseRange(range),
  what,
  always: always === true,
})

const isAround =
  (address: Address) =>
  ({ range }: ParsedRange): boolean =>
    isIn(range)(address)

const refusedAs = ({ what }: ParsedRange): AddressVerdict => ({ ok: false, what })

const metadataRanges = metadataAddresses.map(parsed)
const ranges = specialRanges.map(parsed)
const publicRanges = publicRangesOfIpv6.map(parseRange)
const mapped = parseRange('::ffff:0:0/96')

/** The embeddings of an IPv4 address in an IPv6 address, other than mapping: position and decoding. */
const embeddedIn = (bytes: readonly number[]): ipaddr.IPv4[] => {
  const address = new ipaddr.IPv6(Array.from({ length: 8 }, (_, at) => word(bytes, at * 2)))
  return carriers.filter(({ range }) => isIn(range)(address)).flatMap(({ read }) => read(bytes).map(ipv4))
}

type Carrier = { readonly range: Range; readonly read: (bytes: readonly number[]) => (readonly number[])[] }

const lastFour = (bytes: readonly number[]): (readonly number[])[] => [bytes.slice(12)]
const isLowest = (bytes: readonly number[]): boolean => bytes.slice(0, 15).every((byte) => byte === 0)

const carriers: readonly Carrier[] = [
  // The unspecified and the loopback address of IPv6 begin with the same zeros, but embed no IPv4 address.
  { range: parseRange('::/96'), read: (bytes) => (isLowest(bytes) ? [] : lastFour(bytes)) },
  { range: parseRange('::ffff:0:0:0/96'), read: lastFour },
  { range: parseRange('64:ff9b::/96'), read: lastFour },
  { range: parseRange('64:ff9b:1::/48'), read: lastFour },
  { range: parseRange('2002::/16'), read: (bytes) => [bytes.slice(2, 6)] },
  // Teredo: the server address is plain, the client address has every bit inverted.
  { range: parseRange('2001::/32'), read: (bytes) => [bytes.slice(4, 8), bytes.slice(12).map((byte) => byte ^ 0xff)] },
  // ISATAP may use any prefix and is identified by the middle of the lower half.
  { range: parseRange('::/0'), read: (bytes) => (isIsatap(bytes) ? lastFour(bytes) : []) },
]

const isIsatap = (bytes: readonly number[]): boolean =>
  word(bytes, 10) === 0x5efe && (word(bytes, 8) === 0 || word(bytes, 8) === 0x0200)

const word = (bytes: readonly number[], at: number): number => ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0)
