import { PartError } from '@ars/tools/dev/parts/part'
import { type PlaceSettings, parseOptions, placeOptions, placeSettings, wholeNumber } from '../../../lab/options.ts'
import { peersCache } from '../../../lab/peers/install.ts'

export const peerNames = ['langgraph', 'hatchet', 'dbos'] as const
export type PeerName = (typeof peerNames)[number]

export type PeersOptions = PlaceSettings & {
  peers: readonly PeerName[]
  rounds: number
  windowMs: number
  leadInMs: number
  warmUpMs: number
  callers: number
  /** How many runs are under way when the process is killed. */
  recoveryRuns: number
  cache: string
}

export const peersHelp = `pnpm bench peers: runs of two steps on this service and on other products, on this computer.

Installs the peers at exact versions into a folder that it keeps, then for each peer: rounds of ours, peer, peer, ours with the
same number of callers and with one caller; CPU time per run of all processes with their database; and a kill -9 of the process that
executes the steps. Takes about 15 minutes, the first time 15 more. Stop other programs first.

  --peer <a,b>        ${peerNames.join(', ')} (default all). langgraph needs Python 3.11 with venv, hatchet needs Go 1.24
  --quick             1 round of 5 s windows: a first look
  --rounds <n>        rounds per peer (default 4)
  --seconds <n>       length of each of a round's four windows (default 10)
  --callers <n>       callers at once, each with one call (default 16)
  --recovery-runs <n> runs under way at the kill (default 8)
  --cache <path>      where the peers are installed (default .dev/peers)
  --dir <path>        where the data lies; emptied first (default .dev/bench-peers)
`

export const readPeersOptions = (args: readonly string[]): PeersOptions => {
  const { values } = parseOptions(args, options, peersHelp)
  const place = placeSettings('peers', args, values)
  return {
    ...place,
    peers: parsePeers(values.peer),
    rounds: wholeNumber('rounds', values.rounds ?? (place.isQuick ? '1' : '4')),
    windowMs: 1000 * wholeNumber('seconds', values.seconds ?? (place.isQuick ? '5' : '10')),
    leadInMs: 1000,
    warmUpMs: place.isQuick ? 4000 : 10_000,
    callers: wholeNumber('callers', values.callers ?? '16'),
    recoveryRuns: wholeNumber('recovery-runs', values['recovery-runs'] ?? '8'),
    cache: peersCache(values.cache),
  }
}

const parsePeers = (text: string | undefined): readonly PeerName[] => {
  if (text === undefined) return peerNames
  return text.split(',').map((name) => {
    const known = peerNames.find((each) => each === name)
    if (!known) throw new PartError(`--peer must be of ${peerNames.join(', ')}, not ${name}`)
    return known
  })
}

const options = {
  ...placeOptions,
  peer: { type: 'string' },
  rounds: { type: 'string' },
  seconds: { type: 'string' },
  callers: { type: 'string' },
  'recovery-runs': { type: 'string' },
  cache: { type: 'string' },
} as const
