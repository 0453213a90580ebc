import { startNameServer, type Zone } from '@ars/platform/egress/test/name-server'
import { markerAddresses, nameServerAddress, publicAddress } from './namespace.ts'

/** What a hostile name says, at its first, second, … look-up. */
export type Trick = {
  key: string
  what: string
  /** Whether the first look-up finds a public host and nothing else, so that the address may be registered. */
  isHarmlessAtFirst: boolean
  /** Another delivery follows while the connection of the first may still be open. */
  isDeliveredTwice?: boolean
  answer(lookUp: number, kind: 'A' | 'AAAA' | 'other', leakMarker: string): ReturnType<Zone>
}

const publicly = { addresses: [publicAddress] }

export const tricks: readonly Trick[] = [
  {
    key: 'flip',
    what: 'public first, then inner for ever',
    isHarmlessAtFirst: true,
    answer: (lookUp, _, leakMarker) => (lookUp === 0 ? publicly : { addresses: [leakMarker] }),
  },
  {
    key: 'alternate',
    what: 'public and inner in turn',
    isHarmlessAtFirst: true,
    answer: (lookUp, _, leakMarker) => (lookUp % 2 === 0 ? publicly : { addresses: [leakMarker] }),
  },
  {
    key: 'late',
    isDeliveredTwice: true,
    what: 'public until a delivery went through, then both in one list; the second delivery comes at once',
    isHarmlessAtFirst: true,
    answer: (lookUp, _, leakMarker) => ({ addresses: lookUp < 2 ? [publicAddress] : [publicAddress, leakMarker] }),
  },
  {
    key: 'torn',
    what: 'public first, then public for IPv4 and inner for IPv6',
    isHarmlessAtFirst: true,
    answer: (lookUp, kind) => ({
      addresses: lookUp === 0 || kind === 'A' ? [publicAddress] : ['::ffff:169.254.169.254'],
    }),
  },
  {
    key: 'quiet',
    what: 'public first, then no answer at all',
    isHarmlessAtFirst: true,
    answer: (lookUp) => (lookUp === 0 ? publicly : 'silence'),
  },
  {
    key: 'vanish',
    what: 'public first, then no such name',
    isHarmlessAtFirst: true,
    answer: (lookUp) => (lookUp === 0 ? publicly : 'NXDOMAIN'),
  },
  {
    key: 'inner',
    what: 'inner from the first',
    isHarmlessAtFirst: false,
    answer: (_, __, leakMarker) => ({ addresses: [leakMarker] }),
  },
  {
    key: 'mixed',
    what: 'public and inner in one list',
    isHarmlessAtFirst: false,
    answer: (_, __, leakMarker) => ({ addresses: [publicAddress, leakMarker] }),
  },
  {
    key: 'mapped',
    what: 'metadata as IPv4 inside IPv6',
    isHarmlessAtFirst: false,
    answer: () => ({ addresses: ['::ffff:169.254.169.254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1'] }),
  },
  {
    key: 'alias',
    what: 'another name, db.corp.internal, and its address',
    isHarmlessAtFirst: false,
    answer: (_, __, leakMarker) => ({ alias: 'db.corp.internal', addresses: [leakMarker] }),
  },
  { key: 'nobody', what: 'no such name', isHarmlessAtFirst: false, answer: () => 'NXDOMAIN' },
  { key: 'broken', what: 'a server that fails', isHarmlessAtFirst: false, answer: () => 'SERVFAIL' },
  { key: 'silent', what: 'a server that never answers', isHarmlessAtFirst: false, answer: () => 'silence' },
]

/** Names of the attacker: `<trick>-<number>.attacker.example`. All others of that domain are honest. */
export const nameOf = (trick: Trick, number: number): string => `${trick.key}-${number}.attacker.example`
export const honestName = 'honest.attacker.example'

export const startNames = async () => {
  const questions = new Map<string, number>()
  // Only answered look-ups count: the resolver retries unanswered ones.
  let lookUps = 0
  const zone: Zone = (name, kind) => {
    const [, key = '', number = '0'] = /^([a-z]+)-(\d+)\.attacker\.example$/.exec(name) ?? []
    const trick = tricks.find((one) => one.key === key)
    if (!trick) return name.endsWith('.attacker.example') ? publicly : 'NXDOMAIN'
    // Every look-up asks twice, for the two kinds.
    const asked = questions.get(name) ?? 0
    questions.set(name, asked + 1)
    const inner = markerAddresses[Number(number) % markerAddresses.length] ?? '127.0.0.1'
    const answer = trick.answer(Math.floor(asked / 2), kind, inner)
    if (kind === 'A' && answer !== 'silence') lookUps++
    return answer
  }
  const server = await startNameServer(zone, { host: nameServerAddress, port: 53 })
  return { lookUps: () => lookUps, close: server.close }
}
