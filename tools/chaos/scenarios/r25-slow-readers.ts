import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import type { OpenAnswer } from '../api-caller.ts'
import { checkStream } from '../checks/streams.ts'
import { plantAgent } from '../organisation.ts'
import { residentBytes } from '../process-figures.ts'
import type { RunOrder } from '../run-client.ts'
import { claim, type Stage, scenario } from '../scenario.ts'
import { type Frame, frameReader } from '../sse-frames.ts'

interface Size {
  slow: number
  normal: number
}

interface Reader {
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
const growthMostBytes = 100 * 1_048_576
const terminal = ['run.completed', 'run.failed', 'run.cancelled']

/** Everybody watches one long answer; some hardly read at all. */
export const slowReaders = scenario<Size>({
  name: 'R25',
  promise: 'A slow reader costs bounded memory: its stream is closed, it resumes by id, and the others notice nothing.',
  sizes: { ci: { slow: 10, normal: 4 }, full: { slow: 50, normal: 20 } },
  play: async (stage, size) => {
    const { fleet, say } = stage
    const { client } = fleet
    const agentId = await plantAgent(fleet.records, fleet.organisation, {
      name: 'long',
      config: { model: 'fake/long', instructions: 'Talk.' },
    })
    const measure = memoryOf(stage)
    const key = stage.key('long')
    const order: RunOrder = { key, agentId, input: { query: `chaos:${key}` }, prefer: 'respond-async' }
    const { id: runId } = await client.accept(order)
    const ended = client.awaitEnd(order, runId).then(() => say('the run has ended'))
    const patience = ended.then(() => sleep(slowAfterEndMs))
    const readers = await Promise.all([
      ...Array.from({ length: size.slow }, (_, n) => readRun(stage, runId, { name: `slow ${n}`, slowUntil: patience })),
      ...Array.from({ length: size.normal }, (_, n) => readRun(stage, runId, { name: `normal ${n}` })),
    ])
    const { growthBytes, mostBytes } = measure.end()
    const [slow, normal] = [readers.slice(0, size.slow), readers.slice(size.slow)]
    const dropped = slow.filter(({ wasDropped }) => wasDropped)
    const receivedBefore = slow.map(({ frames }) => frames.length)
    await Promise.all(slow.map((reader) => finishReading(stage, runId, reader)))
    const [stored] = await fleet.records.query<{ status: string; result: string }>(
      `select status, output ->> 'result' as result from run_results where run_id = $1`,
      [toUuid(runId)],
    )
    const { status = 'unknown', result = '' } = stored ?? {}
    return {
      figures: [
        ['slow readers, at 1 KB/s', slow.length],
        ['of these closed by the gateway', dropped.length],
        ['frames that they had read by then', receivedBefore.join(', ')],
        ['other readers', normal.length],
        ['bytes of output', result.length],
        ['memory of the gateway at most, MB', Math.round(mostBytes / 1_048_576)],
        ['more than before, MB', Math.round(growthBytes / 1_048_576)],
      ],
      claims: [
        claim(`the run says ${outputBytes} bytes and completes`, status === 'completed' && result.length === outputBytes, `${status}, ${result.length}`),
        claim('every slow reader is closed before the end', dropped.length === slow.length, `${dropped.length} of ${slow.length}`),
        claim(
          'the gateway grows by at most 100 MB',
          growthBytes <= growthMostBytes,
          `${Math.round(growthBytes / 1_048_576)} MB`,
        ),
        claim('no other reader is closed', normal.every(({ wasDropped }) => !wasDropped), 'one was'),
        {
          says: 'all have read the whole output in the end, without a gap and without anything twice',
          violations: readers.flatMap(({ name, frames }) => checkStream({ name, frames, status, result })),
        },
      ],
    }
  },
})

function openStream({ fleet }: Stage, runId: string, after: number): Promise<OpenAnswer> {
  const headers = { ...fleet.client.authorization, 'last-event-id': String(after) }
  return fleet.client.gateways[0]!.open({ method: 'GET', path: `/v2/runs/${runId}/stream`, headers })
}

/** Reads a little a second, or as fast as it comes, until the stream is closed. */
async function readRun(
  stage: Stage,
  runId: string,
  { name, slowUntil, frames = [] }: { name: string; slowUntil?: Promise<unknown>; frames?: Frame[] },
): Promise<Reader> {
  const { body, drop } = await openStream(stage, runId, frames.at(-1)?.id ?? 0)
  const reader = frameReader()
  const decoder = new TextDecoder()
  const take = (piece: Buffer): void => void frames.push(...reader.push(decoder.decode(piece, { stream: true })))
  let isSlow = slowUntil !== undefined
  void slowUntil?.then(() => {
    isSlow = false
  })
  // Taken from the socket by hand: what is not asked for stays where it is, and the gateway feels it.
  while (isSlow && !stage.hopeless.aborted) {
    const piece = body.read(slowBytesPerSecond / 4) as Buffer | null
    if (piece) take(piece)
    await sleep(250)
  }
  // What is still on its way when the gateway has given up is read now; then it shows whether there was an end.
  await new Promise((resolve) => {
    body.on('data', take)
    body.once('close', resolve)
  })
  drop()
  const wasDropped = !terminal.includes(frames.at(-1)?.event ?? '')
  return { name, frames, wasDropped, endedMs: performance.now() }
}

/** A reader that was closed comes back with the number of its last whole frame. */
async function finishReading(stage: Stage, runId: string, reader: Reader): Promise<void> {
  for (let tries = 0; reader.wasDropped && tries < 20; tries++) {
    const { wasDropped } = await readRun(stage, runId, { name: reader.name, frames: reader.frames }).catch(
      () => ({ wasDropped: true }),
    )
    reader.wasDropped = wasDropped
  }
}

function memoryOf({ fleet }: Stage): { end(): { growthBytes: number; mostBytes: number } } {
  const pid = fleet.gateways[0].pid() ?? process.pid
  const before = residentBytes(pid)
  let mostBytes = before
  const timer = setInterval(() => {
    mostBytes = Math.max(mostBytes, residentBytes(pid))
  }, 100)
  return {
    end: () => {
      clearInterval(timer)
      return { growthBytes: mostBytes - before, mostBytes }
    },
  }
}
