import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../lab/condition.ts'
import { operationsOf } from '../checks/operations.ts'
import { orderOfSteps } from '../load.ts'
import type { HeardRun } from '../run-client.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  rounds: number
  posts: number
  /** In this many rounds the gateway that won the race dies before it can answer. */
  winnersKilled: number
}

type Round = {
  answers: HeardRun[]
  isWinnerKilled: boolean
}

/** Many at once with one key, through both gateways. */
export const oneEffect = scenario<Size>({
  name: 'R3',
  promise: 'Concurrent requests with one Idempotency-Key create one run, and all of them receive it.',
  sizes: { ci: { rounds: 20, posts: 50, winnersKilled: 2 }, full: { rounds: 200, posts: 50, winnersKilled: 20 } },
  play: async (stage, size) => {
    const rounds: Round[] = []
    const winnersKilled = (): number => rounds.filter((round) => round.isWinnerKilled).length
    for (let n = 1; n <= size.rounds; n++) {
      const isTimeToKill = n % Math.floor(size.rounds / size.winnersKilled) === 0
      rounds.push(await playRound(stage, stage.key(n), size.posts, isTimeToKill))
      stage.say(`${n} rounds, ${winnersKilled()} winners killed`)
    }
    const records = await stage.records()
    const operations = operationsOf(await stage.fleet.journal.read()).filter(({ key }) => key.startsWith(stage.key('')))
    const refused = operations.filter(({ answer }) => answer?.status === 503).length
    return {
      metrics: [
        ['rounds', rounds.length],
        ['requests at once in a round', size.posts],
        ['winners killed before their answer', winnersKilled()],
        ['runs', records.runs.length],
        ['answers that were replays', rounds.flatMap(({ answers }) => answers).filter((run) => run.isReplayed).length],
        ['requests refused with 503 and sent again', refused],
      ],
      claims: [
        claim('one run a round', records.runs.length === rounds.length, `${records.runs.length} runs`),
        {
          says: 'every answer of a round is that run',
          violations: rounds.flatMap(({ answers }, at) => {
            const ids = new Set(answers.map(({ id }) => id))
            return ids.size === 1 && answers.length === size.posts
              ? []
              : [`round ${at + 1}: ${answers.length} answers, ${ids.size} runs`]
          }),
        },
        {
          says: 'no answer is a 500',
          violations: operations
            .filter(({ answer }) => answer?.status === 500)
            .map(({ answer }) => answer?.error ?? ''),
        },
        measured(
          `the winner was killed in ${size.winnersKilled} rounds`,
          winnersKilled() >= size.winnersKilled,
          `only in ${winnersKilled()}`,
        ),
      ],
    }
  },
})

const playRound = async (
  { fleet, random }: Stage,
  key: string,
  posts: number,
  isTimeToKill: boolean,
): Promise<Round> => {
  const dice = random.fork(key)
  const order = orderOfSteps(fleet, key, {
    input: { steps: 1, delay_ms: isTimeToKill ? 1500 : dice.whole(0, 300) },
    prefer: 'wait=10',
  })
  const winner = dice.whole(0, 1)
  const other = fleet.gateways[1 - winner]
  const firsts = dice.shuffle(Array.from({ length: posts }, (_, at) => at % 2))
  // All leave in the same moment. Who shall die must win for certain, so the other one is asleep until the key is taken.
  if (isTimeToKill) other?.freeze()
  const answered = Promise.all(firsts.map((first) => fleet.client.accept(order, { first })))
  if (isTimeToKill) {
    await waitFor('the key to be claimed', () => isClaimed(fleet, key), { timeoutMs: 60_000, everyMs: 5 }).finally(() =>
      other?.thaw(),
    )
    await sleep(dice.whole(0, 200))
    await fleet.supervision.kill(`gateway-${winner + 1}`)
  }
  const answers = await answered
  if (isTimeToKill) await fleet.supervision.settle()
  // The winner answers without the mark of a replay. Where nobody did, the winner died before its answer.
  return { answers, isWinnerKilled: isTimeToKill && answers.every((run) => run.isReplayed) }
}

const isClaimed = async ({ records }: Stage['fleet'], key: string): Promise<boolean> => {
  const rows = await records.query('select 1 from idempotency_keys where key = $1', [key])
  return rows.length > 0
}
