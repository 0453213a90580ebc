import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import type { OpenAnswer } from '../../lab/client/api-caller.ts'
import { type Frame, frameReader } from '../../lab/client/sse-frames.ts'
import { residentBytes } from '../../lab/measure/process-metrics.ts'
import { plantAgent } from '../../lab/stack/organisation.ts'
import { checkStream } from '../checks/streams.ts'
import type { RunOrder } from '../run-client.ts'
import { claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  slow: number
  normal: number
  /** A healthy reader keeps up with this rate; one that does not is slow. */
  model: 'fake/long' | 'fake/steady'
  /** How often it is watched without slow readers first: a process that has never worked so hard still grows. */
  alone: number
}

type Reader = {
  name: string
  frames: Frame[]
  /** The server closed the stream before the run's last frame. */
  wasDropped: boolean
  endedMs: number
}

const slowBytesPerSecond = 1024
/** So long after the end of the run a slow reader is still slow. */
const slowAfterEndMs = 3000
const outputBytes = 8 * 1_048_576
/** In MB. */
const maxGrowth = 100
const lagSlackSeconds = 1
const terminal = ['run.completed', 'run.failed', 'run.cancelled']

/** Everybody watches one long answer; some hardly read at all. */
export const slowReaders = scenario<Size>({
  name: 'R25',
  promise:
    'A slow reader costs bounded memory: its stream is closed, it resumes by id, and other readers are not affected.',
  sizes: {
    ci: { slow: 10, normal: 4, model: 'fake/long', alone: 1 },
    full: { slow: 50, normal: 20, model: 'fake/steady', alone: 3 },
  },
  play: async (stage, size) => {
    const { fleet } = stage
    const agentId = await plantAgent(fleet.records, fleet.organisation, {
      name: 'long',
      config: { model: size.model, instructions: 'Talk.' },
    })
    // The same without the slow ones comes first: what everybody costs is not what the slow ones cost.
    const before: Watched[] = []
    for (let n = 1; n <= size.alone; n++) {
      before.push(await watchRun(stage, { agentId, name: `alone-${n}`, slow: 0, normal: size.normal }))
    }
    const alone = mostOf(before)
    const beside = await watchRun(stage, { agentId, name: 'beside', slow: size.slow, normal: size.normal })
    const [slow, normal] = [beside.readers.slice(0, size.slow), beside.readers.slice(size.slow)]
    const dropped = slow.filter(({ wasDropped }) => wasDropped)
    const othersDropped = [...before.flatMap(({ readers }) => readers), ...normal].filter(
      ({ wasDropped }) => wasDropped,
    )
    const receivedBefore = slow.map(({ frames }) => frames.length)
    // On a busy computer another reader may be closed too. It resumes as the slow ones do.
    await Promise.all(beside.readers.map((reader) => finishReading(stage, beside.runId, reader)))
    const [stored] = await fleet.records.query<{ status: string; result: string }>(
      `select status, output ->> 'result' as result from run_results where run_id = $1`,
      [toUuid(beside.runId)],
    )
    const { status = 'unknown', result = '' } = stored ?? {}
    const growth = megabytes(beside.mostBytes - alone.mostBytes)
    return {
      metrics: [
        ['slow readers, at 1 KB/s', slow.length],
        ['of these closed by the gateway', dropped.length],
        ['frames that they had read by then', receivedBefore.join(', ')],
        ['other readers', normal.length],
        ['bytes of output', result.length],
        ['memory of the gateway before, MB', megabytes(alone.beforeBytes)],
        [
          'at most without slow readers, and with them',
          `${megabytes(alone.mostBytes)}, ${megabytes(beside.mostBytes)}`,
        ],
        [
          'seconds from the model’s last word to the other readers’ last frame, without and with',
          `${alone.lagSeconds.toFixed(1)}, ${beside.lagSeconds.toFixed(1)}`,
        ],
      ],
      claims: [
        claim(
          `the run says ${outputBytes} bytes and completes`,
          status === 'completed' && result.length === outputBytes,
          `${status}, ${result.length}`,
        ),
        measured(
          'every slow reader is closed before the end',
          dropped.length === slow.length,
          `${dropped.length} of ${slow.length}`,
        ),
        measured(`slow readers cost the gateway at most ${maxGrowth} MB`, growth <= maxGrowth, `${growth} MB`),
        measured(
          'no other reader is closed',
          othersDropped.length === 0,
          othersDropped.map(({ name }) => name).join(', '),
        ),
        measured(
          'the others are told as soon as without them',
          beside.lagSeconds <= Math.max(1.2 * alone.lagSeconds, alone.lagSeconds + lagSlackSeconds),
          `${beside.lagSeconds.toFixed(1)} s against ${alone.lagSeconds.toFixed(1)} s`,
        ),
        {
          says: 'all readers get the whole output in the end, without gaps and duplicates',
          violations: beside.readers.flatMap(({ name, frames }) => checkStream({ name, frames, status, result })),
        },
      ],
    }
  },
})

type Watched = {
  runId: string
  readers: Reader[]
  lagSeconds: number
  beforeBytes: number
  mostBytes: number
}

const mostOf = (watched: readonly Watched[]) => ({
  beforeBytes: watched[0]?.beforeBytes ?? 0,
  mostBytes: Math.max(...watched.map(({ mostBytes }) => mostBytes)),
  lagSeconds: Math.max(...watched.map(({ lagSeconds }) => lagSeconds)),
})

/** One run, watched by this many readers of each kind; the slow ones come first in the result. */
const watchRun = async (
  stage: Stage,
  { agentId, name, slow, normal }: { agentId: string; name: string; slow: number; normal: number },
): Promise<Watched> => {
  const { client, provider } = stage.fleet
  const memory = watchMemory(stage)
  const key = stage.key(name)
  const order: RunOrder = { key, agentId, input: { query: `chaos:${key}` }, prefer: 'respond-async' }
  const { id: runId } = await client.accept(order)
  const ended = client.awaitEnd(order, runId).then(() => stage.say(`the run ${name} has ended`))
  const patience = ended.then(() => sleep(slowAfterEndMs))
  const readers = await Promise.all([
    ...Array.from({ length: slow }, (_, n) => readRun(stage, runId, { name: `slow ${n}`, slowUntil: patience })),
    ...Array.from({ length: normal }, (_, n) => readRun(stage, runId, { name: `normal ${n}` })),
  ])
  await ended
  const saidMs = provider.calls(key)[0]?.closedMs ?? Number.NaN
  const lagSeconds = (Math.max(...readers.slice(slow).map(({ endedMs }) => endedMs)) - saidMs) / 1000
  return { runId, readers, lagSeconds, ...memory.end() }
}

/** All come in the same moment, so one may be told to come again. */
const openStream = async ({ fleet, hopeless }: Stage, runId: string, after: number): Promise<OpenAnswer> => {
  const headers = { ...fleet.client.authorization, 'last-event-id': String(after) }
  while (true) {
    const answer = await fleet.client.gateways[0]!.open({ method: 'GET', path: `/v2/runs/${runId}/stream`, headers })
    if (answer.status !== 503) return answer
    answer.drop()
    hopeless.throwIfAborted()
    await sleep(100)
  }
}

/** Reads a little a second, or as fast as it comes, until the stream is closed. */
const readRun = async (
  stage: Stage,
  runId: string,
  { name, slowUntil, frames = [] }: { name: string; slowUntil?: Promise<unknown>; frames?: Frame[] },
): Promise<Reader> => {
  const { body, drop } = await openStream(stage, runId, frames.at(-1)?.id ?? 0)
  const reader = frameReader()
  const decoder = new TextDecoder()
  const take = (piece: Buffer): void => void frames.push(...reader.push(decoder.decode(piece, { stream: true })))
  let isSlow = slowUntil !== undefined
  void slowUntil?.then(() => {
    isSlow = false
  })
  // Read from the socket by hand: unread bytes stay there and exert back pressure on the gateway.
  while (isSlow && !stage.hopeless.aborted) {
    const piece = body.read(slowBytesPerSecond / 4) as Buffer | null
    if (piece) take(piece)
    await sleep(250)
  }
  // Bytes in flight when the gateway gave up are read now; they show whether there was an end.
  await new Promise<void>((resolve) => {
    body.on('data', take)
    // A short answer, such as a refusal, is over before the slow ones stop being slow; it is not told a second time.
    if (body.closed) resolve()
    else body.once('close', () => resolve())
  })
  drop()
  const wasDropped = !terminal.includes(frames.at(-1)?.event ?? '')
  return { name, frames, wasDropped, endedMs: performance.now() }
}

/** A reader that was closed comes back with the number of its last whole frame. */
const finishReading = async (stage: Stage, runId: string, reader: Reader): Promise<void> => {
  for (let tries = 0; reader.wasDropped && tries < 20; tries++) {
    const { wasDropped } = await readRun(stage, runId, { name: reader.name, frames: reader.frames }).catch(() => ({
      wasDropped: true,
    }))
    reader.wasDropped = wasDropped
  }
}

const watchMemory = ({ fleet }: Stage): { end(): { beforeBytes: number; mostBytes: number } } => {
  const pid = fleet.gateways[0].pid() ?? process.pid
  const beforeBytes = residentBytes(pid)
  let mostBytes = beforeBytes
  const timer = setInterval(() => {
    mostBytes = Math.max(mostBytes, residentBytes(pid))
  }, 100)
  return {
    end: () => {
      clearInterval(timer)
      return { beforeBytes, mostBytes }
    },
  }
}

const megabytes = (bytes: number): number => Math.round(bytes / 1_048_576)
