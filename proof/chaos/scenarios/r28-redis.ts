import { once } from 'node:events'
import { createConnection } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { waitFor } from '../../lab/condition.ts'
import { allCompleted, orderOfSteps, playUntil } from '../load.ts'
import { measured, type Stage, scenario } from '../scenario.ts'
import { followAll, judgeStreams, metricsOf } from './r23-streams.ts'

type Size = {
  /** Each is one of: emptied, killed, away for a while. Redis keeps nothing on disk, so each return is an empty one. */
  losses: number
  clients: number
  streams: number
  events: number
}

type Loss = 'flush' | 'kill' | 'away'

/** Redis holds counters and wake-ups. Both may be gone at any moment. */
export const redisLost = scenario<Size>({
  name: 'R28',
  promise:
    'Redis holds no state that must survive: if it is emptied, killed or unreachable, no run and no frame is lost.',
  sizes: {
    ci: { losses: 3, clients: 6, streams: 6, events: 60 },
    full: { losses: 10, clients: 16, streams: 40, events: 400 },
  },
  play: async (stage, size) => {
    const { fleet, random, say } = stage
    const load = playUntil(stage, {
      clients: size.clients,
      next: (n) => {
        const dice = random.fork(`run-${n}`)
        return orderOfSteps(fleet, stage.key(n), {
          input: { steps: 3, delay_ms: dice.whole(50, 300) },
          prefer: dice.pick(['wait=10', 'respond-async']),
        })
      },
    })
    const names = Array.from({ length: size.streams }, (_, n) => String(n))
    const following = followAll(stage, names, { events: size.events, cuts: 1 })
    const losses: Loss[] = []
    for (let n = 0; n < size.losses; n++) {
      const loss = (['flush', 'kill', 'away'] as const)[n % 3] ?? 'flush'
      await sleep(random.fork(`pause-${n}`).whole(500, 1500))
      await lose(stage, loss)
      losses.push(loss)
      say(`${losses.length} losses, ${load.ended.length} runs ended`)
    }
    await sleep(1000)
    const ended = await load.stop()
    const followed = await following
    return {
      metrics: [['losses', losses.join(', ')], ['runs', ended.length], ...metricsOf(followed)],
      claims: [
        allCompleted('every run completes', ended),
        measured('runs went on meanwhile', ended.length > size.losses, `${ended.length} runs`),
        ...(await judgeStreams(stage, followed, size)),
      ],
    }
  },
})

const lose = async ({ fleet }: Stage, loss: Loss): Promise<void> => {
  const { supervision, stack } = fleet
  // Another scenario on the same stack may have killed it just now.
  await waitFor('redis to be up', () => supervision.isUp('redis'), { timeoutMs: 60_000 })
  if (loss === 'kill') return supervision.kill('redis')
  if (loss === 'flush') {
    supervision.noteOutage('redis', 'emptied').end()
    return flushAll(stack.ports.redis)
  }
  const bringBack = await supervision.takeDown('redis', 'kill')
  await sleep(4000)
  await bringBack()
}

const flushAll = async (port: number): Promise<void> => {
  const socket = createConnection({ host: '127.0.0.1', port })
  socket.write('FLUSHALL\r\n')
  await once(socket, 'data')
  socket.destroy()
}
