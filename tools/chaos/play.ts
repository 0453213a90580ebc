import { setTimeout as sleep } from 'node:timers/promises'
import { settleMs } from './checks/operations.ts'
import { type Fleet, startFleet } from './fleet.ts'
import { judge } from './judge.ts'
import { orderOfSteps, playClients } from './load.ts'
import { seededRandom } from './random.ts'
import { hasPassed, type Verdict } from './report.ts'
import { type Claim, claim, type Outcome, type Scenario, type SizeName, type Stage } from './scenario.ts'

const progressEveryMs = 5000
const runsAfterwards = 20
/** Several times what each takes on two slow cores. */
const playMostMs: Readonly<Record<SizeName, number>> = { ci: 240_000, full: 900_000 }

/** Plays one scenario on a fleet of its own. Whatever goes wrong is part of the verdict. */
export async function playScenario(scenario: Scenario, size: SizeName, seed: string): Promise<Verdict> {
  const begun = performance.now()
  const random = seededRandom(`${seed}/${scenario.name}`)
  const verdictOf = (outcome: Outcome): Verdict => ({
    ...outcome,
    scenario,
    size,
    seed,
    seconds: (performance.now() - begun) / 1000,
  })
  const hopeless = new AbortController()
  let fleet: Fleet | undefined
  let verdict: Verdict | undefined
  try {
    fleet = await startFleet({ name: scenario.name, random, serverEnv: scenario.serverEnv ?? {}, hopeless })
    const timer = setTimeout(
      () => hopeless.abort(new Error(`not done after ${playMostMs[size] / 1000} s`)),
      playMostMs[size],
    )
    const outcome = await playOn(fleet, scenario, size, { random: random.fork('play'), hopeless: hopeless.signal })
    clearTimeout(timer)
    verdict = verdictOf(outcome)
  } catch (error) {
    verdict = verdictOf({
      figures: [['played', 'no']],
      claims: [claim('the fleet can be started and judged', false, describe(error))],
    })
  }
  const keepFiles = !hasPassed(verdict)
  await fleet?.dispose({ keepFiles })
  if (keepFiles && fleet) console.log(`  Logs, journal and ledger are in ${fleet.stack.dir}.`)
  return verdict
}

async function playOn(
  fleet: Fleet,
  scenario: Scenario,
  size: SizeName,
  stage: Pick<Stage, 'random' | 'hopeless'>,
): Promise<Outcome> {
  const progress = progressLines()
  progress.say('all parts are up')
  const played = await scenario.play({ ...stage, fleet, say: progress.say }, size).catch(
    (error: unknown): Outcome => ({
      figures: [],
      claims: [claim('the scenario comes to its end', false, describe(error))],
    }),
  )
  const recovered = await proveRecovery(fleet).catch((error: unknown) =>
    claim('every part comes back', false, describe(error)),
  )
  const judged = await judge(fleet, scenario)
  return {
    figures: [...played.figures, ...judged.figures],
    claims: [...played.claims, recovered, ...judged.claims],
  }
}

/** Once the last outage is over and its echo gone, everything must be as good as new. */
async function proveRecovery(fleet: Fleet): Promise<Claim> {
  await fleet.supervision.settle()
  await sleep(settleMs)
  const orders = Array.from({ length: runsAfterwards }, (_, n) =>
    orderOfSteps(fleet, `afterwards-${n}`, { input: { steps: 2, delay_ms: 50 }, prefer: 'wait=10' }),
  )
  const ends = await playClients({ fleet }, orders, { clients: 2 })
  return {
    says: `afterwards ${runsAfterwards} new runs complete`,
    violations: ends.filter(({ status }) => status !== 'completed').map(({ key, status }) => `${key}: ${status}`),
  }
}

/** The newest word, at most every few seconds. */
function progressLines(): { say(progress: string): void } {
  const begun = performance.now()
  let saidAt = Number.NEGATIVE_INFINITY
  return {
    say: (progress) => {
      const now = performance.now()
      if (now - saidAt < progressEveryMs) return
      saidAt = now
      console.log(`  ${((now - begun) / 1000).toFixed(0).padStart(4)} s  ${progress}`)
    },
  }
}

function describe(error: unknown): string {
  const words: string[] = []
  for (let at = error; at instanceof Error; at = at.cause) words.push(at.message)
  return words.join(': ') || String(error)
}
