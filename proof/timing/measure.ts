import { seededRandom } from '../lab/random.ts'
import {
  addressesOf,
  keyClasses,
  login,
  loginClasses,
  runClasses,
  throttledClasses,
  triesPerAccount,
} from './classes.ts'
import type { TimingOptions } from './options.ts'
import { type Samples, takeSamples, warmUpRounds } from './samples.ts'
import { emailOf, openScene, type Scene } from './scene.ts'
import { type Difference, differenceOf } from './welch.ts'

/** Two classes side by side. */
export type Pair = {
  first: string
  second: string
  samples: number
  medianMs: number
  difference: Difference
}

export type TimingMetrics = {
  /** What nobody may be able to tell apart. */
  pairs: readonly Pair[]
  /** The two ids: for them the bar of the median counts as well. */
  ids: Pair
  /** Two halves of one class: whatever is seen there, it is not the service. */
  itself: Pair
  /** A key that is refused without being looked for: a difference that is known to be there. */
  known: Pair
}

const sizes = { full: { cheap: 20_000, slow: 400 }, quick: { cheap: 2_000, slow: 60 } } as const

export const measureClasses = async (options: TimingOptions, tell: (words: string) => void): Promise<TimingMetrics> => {
  const { cheap, slow } = options.isQuick ? sizes.quick : sizes.full
  const random = seededRandom(options.seed)
  tell('Starting the stack')
  const people = Math.ceil((slow + warmUpRounds(slow)) / triesPerAccount)
  const scene = await openScene('timing', { people })
  const { caller } = scene
  try {
    tell(`Keys, ${cheap} of each kind`)
    const keys = await takeSamples(caller, keyClasses(scene, random), { count: cheap, random })
    tell(`Runs, ${cheap} of each kind`)
    const runs = await takeSamples(caller, runClasses(scene, random), { count: cheap, random })
    tell(`Logins, ${slow} of each kind`)
    const logins = await takeSamples(caller, loginClasses(scene), { count: slow, random })
    await throttle(scene)
    tell(`Logins to throttled accounts, ${cheap} of each kind`)
    const throttled = await takeSamples(caller, throttledClasses(scene), { count: cheap, random })
    const ids = pairOf(runs, 'unknown run', "another organisation's run")
    const never = samplesOf(keys, 'never issued')
    return {
      pairs: [
        pairOf(keys, 'never issued', 'last letter wrong'),
        pairOf(keys, 'never issued', 'first letter wrong'),
        pairOf(keys, 'first letter wrong', 'last letter wrong'),
        ids,
        pairOf(logins, 'nobody', 'somebody'),
        pairOf(throttled, 'nobody, throttled', 'somebody, throttled'),
      ],
      ids,
      itself: compare('never issued, odd', 'never issued, even', [odd(never), even(never)]),
      known: pairOf(keys, 'never issued', 'checksum wrong'),
    }
  } finally {
    await scene.dispose({ keepFiles: false })
  }
}

/** Until every account, known or not, is refused without its password being looked at. */
const throttle = async (scene: Scene): Promise<void> => {
  const addresses = addressesOf()
  const all = scene.emails.flatMap((email, at) => [email, emailOf('nobody', at)])
  for (const email of all) {
    let status = 0
    while (status !== 429) status = (await scene.caller.call(login(scene, email, addresses()))).status
  }
}

const pairOf = (samples: Samples, first: string, second: string): Pair =>
  compare(first, second, [samplesOf(samples, first), samplesOf(samples, second)])

const compare = (first: string, second: string, [a, b]: readonly [readonly number[], readonly number[]]): Pair => ({
  first,
  second,
  samples: Math.min(a.length, b.length),
  medianMs: a.toSorted((x, y) => x - y)[Math.floor(a.length / 2)] ?? Number.NaN,
  difference: differenceOf(a, b),
})

const samplesOf = (samples: Samples, name: string): number[] => {
  const found = samples.get(name)
  if (!found) throw new Error(`nothing was measured of ${name}`)
  return found
}

const odd = (values: readonly number[]): number[] => values.filter((_, at) => at % 2 === 1)
const even = (values: readonly number[]): number[] => values.filter((_, at) => at % 2 === 0)
