import { setTimeout as sleep } from 'node:timers/promises'
import { type Random, seededRandom } from '../lab/random.ts'
import { settleMs } from './checks/operations.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { judge } from './judge.ts'
import { allCompleted, orderOfSteps, playClients } from './load.ts'
import { narrow } from './records.ts'
import { hasPassed, type Verdict } from './report.ts'
import { type Claim, claim, measured, type Outcome, type Scenario, type SizeName, type Stage } from './scenario.ts'

/** Scenarios that share one fleet: wave after wave, those of one wave at the same time. */
export type Play = {
  name: string
  waves: readonly Wave[]
  /** Its Postgres has the settings of `initdb`, as an operator has them, and no others. */
  isStock?: true
  /** Scenarios of other plays whose settings this one also gets. */
  settingsOf?: readonly Scenario[]
}

type Wave = readonly Scenario[]

/** Plays at the same time, each on a separate fleet. */
export type PlayStage = readonly Play[]

const progressEveryMs = 5000
const runsAfterwards = 20
/** Several times what one takes on two slow cores. */
const patienceMs: Readonly<Record<SizeName, number>> = { ci: 180_000, full: 1_200_000 }

type Stretch = { fromMs: number; untilMs: number }

/** `older`: the checkout whose workers begin the runs. */
export type How = { size: SizeName; seed: string; older?: string | undefined }

/** The verdicts of each play, in the order of the plays. */
export const playStage = (stage: PlayStage, how: How): Promise<Verdict[][]> =>
  Promise.all(stage.map((play) => playTogether(play, how)))

/** Plays scenarios on one fleet and judges each, and all together. Whatever goes wrong is part of the verdict. */
const playTogether = async (play: Play, { size, seed, older }: How): Promise<Verdict[]> => {
  const scenarios = play.waves.flat()
  const hopeless = new AbortController()
  const begun = performance.now()
  let fleet: Fleet | undefined
  const outcomes = new Map<Scenario, Outcome & { seconds: number }>()
  const crashing: Stretch[] = []
  let common: Outcome
  try {
    const random = seededRandom(`${seed}/${play.name}`)
    fleet = await startFleet({
      name: play.name,
      random,
      serverEnv: mergedEnv([...scenarios, ...(play.settingsOf ?? [])]),
      isStock: play.isStock === true,
      smallDisks: Object.assign({}, ...scenarios.map(({ smallDisks }) => smallDisks)),
      older,
      hopeless,
    })
    const secondsToStart = (performance.now() - begun) / 1000
    console.log(`  ${secondsToStart.toFixed(0).padStart(4)} s  all parts of ${play.name} are up`)
    for (const wave of play.waves) {
      const fromMs = performance.now()
      const stage = { fleet, hopeless: hopeless.signal }
      const played = await Promise.all(
        wave.map((scenario) => playOne(scenario, size, { ...stage, random: seededRandom(`${seed}/${scenario.name}`) })),
      )
      for (const [at, scenario] of wave.entries()) {
        const outcome = played[at]
        if (outcome) outcomes.set(scenario, outcome)
      }
      await fleet.supervision.settle()
      if (wave.some(({ expectsCrashes }) => expectsCrashes)) crashing.push({ fromMs, untilMs: performance.now() })
    }
    const recovered = await proveRecovery(fleet).catch((error: unknown) =>
      claim('every part restarts', false, describe(error)),
    )
    const judged = await judge(fleet, crashing)
    common = {
      metrics: [['seconds until all parts were up', secondsToStart.toFixed(1)], ...judged.metrics],
      claims: [recovered, ...judged.claims],
    }
  } catch (error) {
    common = {
      metrics: [['played to the end', 'no']],
      claims: [claim('the fleet starts and can be checked', false, describe(error))],
    }
  }
  const verdicts = scenarios.map((scenario): Verdict => {
    const { seconds, ...own } = outcomes.get(scenario) ?? { seconds: 0, metrics: [], claims: [] }
    return { scenario, size, seed, seconds, own, common }
  })
  const keepFiles = !verdicts.every(hasPassed)
  await fleet?.dispose({ keepFiles })
  if (keepFiles && fleet) console.log(`  Logs, journal and ledger are in ${fleet.stack.dir}.`)
  return verdicts
}

type Ground = { fleet: Fleet; random: Random; hopeless: AbortSignal }
type Played = Outcome & { seconds: number }

const playOne = async (scenario: Scenario, size: SizeName, { fleet, random, hopeless }: Ground): Promise<Played> => {
  const prefix = `${scenario.name}/`
  const begun = performance.now()
  const inTime = AbortSignal.timeout(scenario.patienceMs?.[size] ?? patienceMs[size])
  const stage: Stage = {
    fleet,
    random,
    hopeless: AbortSignal.any([hopeless, inTime]),
    say: progressLines(scenario.name),
    key: (name) => `${prefix}${name}`,
    records: async () => narrow(await fleet.records.read(), prefix),
    ledgerOf: ({ runs }) => {
      const ids = new Set(runs.map(({ id }) => id))
      return fleet.ledger().filter(({ run_id }) => ids.has(run_id))
    },
  }
  const gaveUp = new Promise<never>((_, reject) => {
    stage.hopeless.addEventListener('abort', () => reject(stage.hopeless.reason))
  })
  const outcome = await Promise.race([scenario.play(stage, size), gaveUp]).catch(
    (error: unknown): Outcome => ({
      metrics: [],
      claims: [measured('the scenario finishes', false, describe(error))],
    }),
  )
  return { ...outcome, seconds: (performance.now() - begun) / 1000 }
}

/** What each scenario asks for, together. Two that ask for different things cannot share a fleet. */
const mergedEnv = (scenarios: readonly Scenario[]): NodeJS.ProcessEnv => {
  const merged: NodeJS.ProcessEnv = {}
  for (const { name, serverEnv = {} } of scenarios) {
    for (const [setting, value] of Object.entries(serverEnv)) {
      if ((merged[setting] ?? value) !== value) throw new Error(`${name} cannot share a fleet: it sets ${setting}`)
      merged[setting] = value
    }
  }
  return merged
}

/** Once the last outage is over and its echo gone, everything must be as good as new. */
const proveRecovery = async (fleet: Fleet): Promise<Claim> => {
  await fleet.supervision.settle()
  await sleep(settleMs)
  const orders = Array.from({ length: runsAfterwards }, (_, n) =>
    orderOfSteps(fleet, `afterwards/${n}`, { input: { steps: 2, delay_ms: 50 }, prefer: 'wait=10' }),
  )
  return allCompleted(
    `afterwards ${runsAfterwards} new runs complete`,
    await playClients({ fleet }, orders, { clients: 2 }),
  )
}

/** The newest word, at most every few seconds. */
const progressLines = (name: string): ((progress: string) => void) => {
  const begun = performance.now()
  let saidAt = Number.NEGATIVE_INFINITY
  return (progress) => {
    const now = performance.now()
    if (now - saidAt < progressEveryMs) return
    saidAt = now
    console.log(`  ${((now - begun) / 1000).toFixed(0).padStart(4)} s  ${name}: ${progress}`)
  }
}

const describe = (error: unknown): string => {
  const words: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) words.push(at.message)
  return words.join(': ') || String(error)
}
