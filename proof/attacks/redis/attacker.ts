import { createLog } from '@ars/platform/log/log'
import { connectRedis, whenConnected } from '@ars/platform/redis/connection'
import { type Random, seededRandom } from '../../lab/random.ts'

export type AttackCounts = Record<string, number>

/** A program with full write access to Redis. It listens to everything and does everything that it can think of. */
export type RedisAttacker = {
  /** Attacks until the signal is aborted. */
  attack(signal: AbortSignal): Promise<void>
  counts: AttackCounts
  /** How many messages were heard, and which of these words were among them. */
  heard(words: readonly string[]): { messages: number; words: string[] }
  close(): void
}

type Heard = { channel: string; message: string }

const maxKept = 3_000
const pauseMs = 5

export const openAttacker = async (url: string, seed: string): Promise<RedisAttacker> => {
  const log = createLog({ level: 'silent' })
  const [writer, ear] = [connectRedis({ url, name: 'attacker', log }), connectRedis({ url, name: 'attacker-ear', log })]
  await whenConnected([writer, ear])
  const random = seededRandom(seed)
  const counts: AttackCounts = {}
  const kept: Heard[] = []
  const all: string[] = []
  let messages = 0
  await ear.pSubscribe('*', (message, channel) => {
    messages++
    if (!message.includes(forgery)) all.push(message)
    if (all.length > maxKept) all.shift()
    // Own forgeries need not be repeated.
    if (!message.startsWith('s1.') && channel.startsWith('run:')) return
    kept.push({ channel, message })
    if (kept.length > maxKept) kept.shift()
  })

  const channelsOf = async (pattern: string): Promise<string[]> => writer.pubSubChannels(pattern)
  const keysOf = async (pattern: string): Promise<string[]> => (await writer.keys(pattern)).slice(0, 50)
  const publish = async (channel: string, message: string): Promise<void> =>
    void (await writer.publish(channel, message))

  const acts: Readonly<Record<string, () => Promise<void>>> = {
    // The forgery of the review: an ended run with an invented result.
    'forged end of a run': async () => {
      for (const channel of await channelsOf('run:*')) await publish(channel, JSON.stringify(forgedEnd(9)))
    },
    'forged frames': async () => {
      for (const channel of await channelsOf('run:*')) {
        for (let seq = 3; seq < 12; seq++) await publish(channel, JSON.stringify(forgedFrame(seq)))
      }
    },
    'forged numbers': async () => {
      for (const channel of await channelsOf('run:*'))
        await publish(channel, String(pick(random, [0, 1, 7, 999_999_999])))
    },
    'message repeated': async () => {
      for (const { channel, message } of sample(random, kept, 20)) await publish(channel, message)
    },
    'message repeated on another channel': async () => {
      const channels = await channelsOf('run:*')
      for (const { message } of sample(random, kept, 20)) {
        const channel = pick(random, channels)
        if (channel !== undefined) await publish(channel, message)
      }
    },
    'messages repeated in reverse order': async () => {
      for (const { channel, message } of kept.slice(-40).toReversed()) await publish(channel, message)
    },
    'message altered': async () => {
      for (const { channel, message } of sample(random, kept, 20)) await publish(channel, altered(random, message))
    },
    'request to stop a run': async () => {
      const runs = (await channelsOf('run:*')).map((channel) => channel.split(':').at(-1) ?? '')
      for (const run of runs) for (let n = 0; n < 3; n++) await publish('runs:stop', run)
    },
    'nonsense on every channel': async () => {
      const others = ['access:changed', 'people:changed', 'runs:queued', 'runs:stop', 'webhooks']
      const known = [...new Set([...others, ...(await channelsOf('*'))])].slice(0, 100)
      for (const channel of known) {
        await publish(
          channel,
          pick(random, ['null', '{}', '', '[]', '0', '"', 's1.00000000.AAAA', 'x'.repeat(5_000)]) ?? '',
        )
      }
    },
    'bucket filled for ever': async () => {
      for (const key of await keysOf('ars:bucket:*')) await writer.set(key, '9999999999999999 99999999999999')
    },
    'bucket replaced by nonsense': async () => {
      for (const key of await keysOf('ars:bucket:*')) {
        await writer.del(key)
        if (random.next() < 0.5) await writer.set(key, pick(random, ['', '-1 -1', 'nan nan', '1']) ?? '')
        else await writer.hSet(key, 'a', 'hash')
      }
    },
    'buckets deleted': async () => {
      const keys = await keysOf('ars:bucket:*')
      if (keys.length > 0) await writer.del(keys)
    },
    'everything deleted': async () => void (await writer.flushAll()),
    'scripts deleted': async () => void (await writer.scriptFlush()),
    'subscribers disconnected': async () => {
      await writer.sendCommand(['CLIENT', 'KILL', 'TYPE', 'pubsub', 'SKIPME', 'yes'])
    },
  }
  // These would leave little to attack if they came as often as the others.
  const rare: ReadonlySet<string> = new Set([
    'subscribers disconnected',
    'everything deleted',
    'bucket filled for ever',
  ])

  return {
    counts,
    attack: async (signal) => {
      const names = Object.keys(acts)
      while (!signal.aborted) {
        const name = pick(random, names) ?? ''
        if (rare.has(name) && random.next() > 0.1) continue
        // The attacker's own connection may be among those that it ends.
        await acts[name]?.().then(
          () => {
            counts[name] = (counts[name] ?? 0) + 1
          },
          () => undefined,
        )
        await new Promise((resolve) => setTimeout(resolve, pauseMs))
      }
    },
    heard: (words) => ({ messages, words: words.filter((word) => all.some((message) => message.includes(word))) }),
    close: () => {
      writer.destroy()
      ear.destroy()
    },
  }
}

/** The mark of everything that the attacker invents. */
export const forgery = 'FORGED-THROUGH-REDIS'

const forgedEnd = (seq: number) => ({
  seq,
  ended: true,
  run: { id: 'run_forged', status: 'completed', output: { result: forgery } },
})

const forgedFrame = (seq: number) => ({
  seq,
  frames: [{ seq, text: `id: ${seq}\nevent: run.output.delta\ndata: {"forged":"${forgery}"}\n\n` }],
})

const pick = <Item>(random: Random, items: readonly Item[]): Item | undefined =>
  items[Math.floor(random.next() * items.length)]

const sample = <Item>(random: Random, items: readonly Item[], count: number): Item[] =>
  items.length === 0 ? [] : Array.from({ length: count }, () => pick(random, items) as Item)

const altered = (random: Random, message: string): string => {
  const at = Math.floor(random.next() * message.length)
  return `${message.slice(0, at)}${message[at] === 'A' ? 'B' : 'A'}${message.slice(at + 1)}`
}
