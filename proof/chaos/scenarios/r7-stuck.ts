import { waitFor } from '../../lab/condition.ts'
import { orderOfSteps, playClients } from '../load.ts'
import type { Records } from '../records.ts'
import type { RunOrder } from '../run-client.ts'
import { measured, type Stage, scenario } from '../scenario.ts'
import { waitForSteps } from '../thaw.ts'

type Size = {
  droppedStreams: number
  killedSteps: number
  /** Runs whose worker dies in their first step, at a time. */
  killedAtOnce: number
  neverReturning: number
}

const timeoutSeconds = 15
const graceMs = 5000
const maxDropMs = 50

/** Clients that leave at once, workers that die at once, agents that never return. */
export const stuck = scenario<Size>({
  name: 'R7',
  promise:
    'No run gets stuck: whether clients leave, workers die or models never answer, each run ends within 5 s of its deadline.',
  sizes: {
    ci: { droppedStreams: 100, killedSteps: 50, killedAtOnce: 50, neverReturning: 20 },
    full: { droppedStreams: 1000, killedSteps: 500, killedAtOnce: 100, neverReturning: 200 },
  },
  play: async (stage, size) => {
    const { fleet, say } = stage
    const never = Array.from({ length: size.neverReturning }, (_, n) => ({
      ...orderOfSteps(fleet, stage.key(`never-${n}`), { input: { seconds: 3600 }, timeoutSeconds }),
      agentId: fleet.agentId('test-slow'),
    }))
    // They are there all the time; neither the death of a worker nor that of a client may prolong their life.
    const returned = playClients(stage, never, { clients: never.length })
    const dropped = await dropStreams(stage, size.droppedStreams)
    say(`${size.droppedStreams} streams dropped, ${dropped} of them before an answer`)
    const killed = await killFirstSteps(stage, size)
    const ends = await returned
    await waitFor('all runs to end', async () => (await stage.records()).heads.length === 0, {
      timeoutMs: (timeoutSeconds + 60) * 1000,
      everyMs: 500,
    }).catch(() => undefined)
    const records = await stage.records()
    const streamed = records.runs.filter(({ key }) => key?.startsWith(stage.key('stream-')))
    return {
      metrics: [
        ['streams dropped within 50 ms', size.droppedStreams],
        ['of these accepted', streamed.length],
        ['runs whose worker was killed in their first step', killed.runs],
        ['workers killed', killed.kills],
        ['agents that never return', ends.length],
        ['latest end after its time, ms', Math.round(Math.max(...latenesses(records).map(({ ms }) => ms)))],
      ],
      claims: [
        {
          says: 'every run has ended',
          violations: records.heads.map(({ run_id, status }) => `${run_id} is ${status}`),
        },
        {
          isMeasured: true,
          says: 'no run ended later than 5 s after its deadline',
          violations: latenesses(records)
            .filter(({ ms }) => ms > graceMs)
            .map(({ key, ms }) => `${key}: ${Math.round(ms)} ms`),
        },
        {
          says: 'runs that never return fail with run_timeout',
          violations: ends
            .filter(({ status, errorCode }) => status !== 'failed' || errorCode !== 'run_timeout')
            .map(({ key, status, errorCode }) => `${key}: ${status} ${errorCode ?? ''}`),
        },
        notCompleted(records, stage.key('stream-'), 'a run whose client left completes all the same'),
        notCompleted(records, stage.key('killed-'), 'a run whose first worker died completes'),
        measured(
          'a fifth of the dropped streams had been accepted',
          streamed.length * 5 >= size.droppedStreams,
          `only ${streamed.length}`,
        ),
      ],
    }
  },
})

/** Each client disconnects at a random moment. Returns how many had received nothing by then. */
const dropStreams = async (stage: Stage, streams: number): Promise<number> => {
  const { fleet, random } = stage
  const { client, journal } = fleet
  let unanswered = 0
  const drop = async (n: number): Promise<void> => {
    const dice = random.fork(`stream-${n}`)
    const order: RunOrder = {
      key: stage.key(`stream-${n}`),
      agentId: fleet.agentId('test-stream'),
      input: { chunks: 10, chunk_chars: 20, delay_ms: 20 },
      prefer: '',
      timeoutSeconds,
    }
    const gateway = dice.whole(0, 1)
    const call = journal.nextCall()
    await journal.write({
      kind: 'sent',
      call,
      at_ms: performance.now(),
      gateway: gateway + 1,
      org: client.org,
      what: 'stream',
      key: order.key,
      is_sabotaged: true,
    })
    const answer = await client.gateways[gateway]
      ?.open(client.toCall(order, '/v2/runs/stream'), { dropAfterMs: dice.whole(0, maxDropMs) })
      .catch(() => undefined)
    answer?.drop()
    if (!answer) unanswered++
    const runId = answer?.headers['x-run-id']
    await journal.write({
      kind: 'answered',
      call,
      at_ms: performance.now(),
      status: answer?.status ?? 0,
      ...(typeof runId === 'string' && { run_id: runId }),
    })
  }
  for (let n = 0; n < streams; n += atOnce) {
    await Promise.all(Array.from({ length: Math.min(atOnce, streams - n) }, (_, at) => drop(n + at)))
  }
  return unanswered
}

const atOnce = 5

const killFirstSteps = async (stage: Stage, size: Size): Promise<{ runs: number; kills: number }> => {
  const { fleet } = stage
  const ended: unknown[] = []
  let kills = 0
  for (let n = 0; n < size.killedSteps; n += size.killedAtOnce) {
    const orders = Array.from({ length: Math.min(size.killedAtOnce, size.killedSteps - n) }, (_, at) =>
      orderOfSteps(fleet, stage.key(`killed-${n + at}`), { input: { steps: 2, delay_ms: 1500 }, timeoutSeconds: 60 }),
    )
    const clients = playClients(stage, orders, { clients: orders.length })
    await waitForSteps(stage, 'killed-', { step: 1, runs: n + orders.length })
    // Both at once: a step that is interrupted twice is a suspect and must wait for its turn, which is another story.
    await Promise.all(fleet.workers.map((worker) => fleet.supervision.kill(worker.name)))
    kills += fleet.workers.length
    ended.push(...(await clients))
  }
  return { runs: ended.length, kills }
}

const latenesses = ({ runs, results }: Records): { key: string; ms: number }[] => {
  const ends = new Map(results.map(({ run_id, finished_at }) => [run_id, finished_at]))
  return runs.flatMap(({ id, key, created_at, timeout_seconds }) => {
    const end = ends.get(id)
    return end ? [{ key: key ?? id, ms: end.getTime() - created_at.getTime() - timeout_seconds * 1000 }] : []
  })
}

const notCompleted = ({ runs, results }: Records, prefix: string, says: string) => {
  const ends = new Map(
    results.map(({ run_id, status, error_code }) => [run_id, `${status} ${error_code ?? ''}`.trim()]),
  )
  return {
    says,
    violations: runs
      .filter(({ id, key }) => key?.startsWith(prefix) && ends.get(id) !== 'completed')
      .map(({ id, key }) => `${key}: ${ends.get(id) ?? 'active'}`),
  }
}
