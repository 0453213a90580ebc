import type { Random } from '../lab/random.ts'

/** Who is killed, and how many runs have ended by then. */
export type Kill = {
  victims: readonly string[]
  afterEnded: number
}

/** The parts of one kind. */
type Kind = readonly string[]

/** Everything that holds or moves a run. */
export const essentialParts: readonly Kind[] = [
  ['gateway-1', 'gateway-2'],
  ['worker-1', 'worker-2'],
  ['restate'],
  ['postgres'],
]
const everyPart: readonly Kind[] = [...essentialParts, ['redis']]

/** The share of the work that is done before the first kill. */
const first = 0.02
/** Every fifth fault takes two at once. */
const doubleEvery = 5

/**
 * Spreads the kills over the work. Each kind of part dies before any dies again; with enough kills, so does each
 * gateway and each worker. The last kills fall while there is still something to lose. `until`: the share of the work that
 * is done by then.
 */
export const planKills = (
  random: Random,
  {
    kills,
    ended,
    parts = everyPart,
    until = 0.85,
  }: { kills: number; ended: number; parts?: readonly Kind[]; until?: number },
): Kill[] => {
  const kinds = random.shuffle(parts.map((names) => random.shuffle(names)))
  const firsts = kinds.flatMap(([name]) => name ?? [])
  const seconds = kinds.flatMap(([, name]) => name ?? [])
  const names = [...firsts, ...random.shuffle(seconds)].slice(0, kills)
  while (names.length < kills) names.push(random.pick(random.pick(parts)))

  const groups: string[][] = []
  for (const name of names) {
    const last = groups.at(-1)
    const joins = groups.length > 0 && groups.length % doubleEvery === 0 && last?.length === 1 && last[0] !== name
    if (joins) last.push(name)
    else groups.push([name])
  }
  // Evenly, each somewhere in its own stretch: neither all at once nor like a clock.
  const moments = groups.map((_, at) =>
    Math.floor(ended * (first + ((until - first) * (at + random.next())) / groups.length)),
  )
  return groups.map((victims, at) => ({ victims, afterEnded: moments[at] ?? 0 }))
}
