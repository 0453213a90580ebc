import { EventStream, type Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Log } from '@ars/platform/log/log'
import { createSemaphore } from '@ars/platform/semaphore'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { runsBounds } from '../bounds.ts'
import type { AccessibleRun } from '../run/accessible-run.ts'
import { runIdOf } from '../run/run.ts'
import { type Channel, createChannel, type FramePage } from './channel.service.ts'
import type { Feed, Watch } from './feed.service.ts'
import { findFrames } from './feed.store.ts'
import {
  encodeEnd,
  encodeRunFrame,
  encodeSnapshot,
  type Frame,
  isEnding,
  resumeAfter,
  type StoredFrame,
  withHoles,
} from './frame.ts'
import { type Item, toFrameRange } from './frame-range.ts'

export type StreamService = {
  /**
   * The frames of a run that the request creates. A repeated request, as some clients send to reconnect, finds the
   * run of its key and continues; a new run starts at its first frame.
   */
  begin(
    ctx: Pick<Ctx, 'org' | 'lastEventId' | 'idempotencyKey'>,
    accept: () => Promise<{ run: AccessibleRun; replayed: boolean }>,
  ): Promise<EventStream>
  /** The frames of a run from the position at which the caller stopped. */
  watch(ctx: Pick<Ctx, 'org' | 'lastEventId'>, run: AccessibleRun, asked: WatchRun): Promise<EventStream>
  /**
   * The frames after number `after`, at any age of the run. The receiver of the stream must attach to it and stop it.
   * The headers are added to those that name the run.
   */
  open(org: string, run: string, after: number, options?: OpenOptions): Promise<EventStream>
}

type OpenOptions = { headers?: Readonly<Record<string, string>>; leavesOutOutput?: boolean }

type WatchRun = { after?: number | undefined; deltas?: 'true' | 'false' | undefined }

type Deps = {
  app: Database
  feed: Feed
  log: Log
  /** The run in its wire form, for frames that contain it. Null: there is none. */
  readRun(org: string, run: string): Promise<WireRun | null>
}

// A page is bounded in rows and bytes, so that one large run cannot fill the memory of a gateway.
const maxPageRows = runsBounds.framesTogether.count
const maxPageBytes = runsBounds.framesTogether.bytes
/**
 * When pub-sub messages are lost, all watched runs must be read in the same second. They queue here, where waiting is
 * free: in the pool they would time out, their streams would break, and requests would find no connection.
 */
const maxReadsAtOnce = runsBounds.feedReads.count

/** The readers of a run and the subscription that they share while at least one of them holds it. */
type Shared = {
  channel: Channel
  watching: Promise<Watch>
  holds: number
  /** First pages that are being read, by the number that they follow. */
  opening: Map<number, Promise<FramePage | null>>
  release(): void
}

export const createStreams = (deps: Deps): StreamService => {
  const shared = new Map<string, Shared>()
  const limitReads = createSemaphore(maxReadsAtOnce)

  const readPage = async (org: string, run: string, after: number): Promise<FramePage | null> => {
    const found = await findFrames(deps.app, org, { run, after, maxFrames: maxPageRows, maxBytes: maxPageBytes })
    if (!found) return null
    const { frames, isCut } = encodePage(run, found.rows)
    const lastIsEnd = !isCut && isEnding(found.rows.at(-1)?.type ?? '')
    const isComplete = !isCut && (found.complete || lastIsEnd)
    const ended = isComplete && (found.ended || lastIsEnd)
    const last = isComplete ? Math.max(found.seq, after) : (frames.at(-1)?.seq ?? after)
    // The last frame is built from the run, so it exists even when the events are erased.
    const endsHere = ended && last > after
    const upTo = endsHere ? last - 1 : last
    const stretch = withHoles(
      after,
      frames.filter(({ seq }) => seq <= upTo),
      upTo,
    )
    const needsRun = endsHere || stretch.some((each) => 'hole' in each)
    const wire = needsRun ? await deps.readRun(org, run) : undefined
    if (wire === null) return null
    const items: Item[] = stretch.map((each) =>
      'hole' in each && wire
        ? { seq: each.seq, makeSnapshot: () => encodeSnapshot(each.seq, wire, found.at).text }
        : each,
    ) as Item[]
    if (endsHere && wire) items.push(encodeEnd(last, wire))
    return { ...toFrameRange({ after, last, items, ended }), known: found.seq }
  }

  const hold = (org: string, run: string): Shared => {
    // The organisation is part of the name, because the channel reads on its behalf.
    const key = `${org}:${run}`
    const known = shared.get(key)
    if (known) {
      known.holds++
      return known
    }
    const release = (): void => {
      if (--made.holds > 0) return
      shared.delete(key)
      made.watching.then(({ close }) => close()).catch(() => undefined)
    }
    const channel = createChannel({
      read: (after) => limitReads(() => readPage(org, run, after)),
      onDetach: release,
      run,
      log: deps.log,
    })
    const watching = deps.feed.watch(org, run, channel.hear)
    const made: Shared = { channel, watching, holds: 1, opening: new Map(), release }
    shared.set(key, made)
    return made
  }

  /**
   * Concurrent readers that open a run at the same position share the same page: otherwise many readers of one run
   * would exhaust the pool. The subscription is older than the page, so nothing is missed.
   */
  const readFirst = (org: string, run: string, after: number, { opening }: Shared): Promise<FramePage | null> => {
    const known = opening.get(after)
    if (known !== undefined) return known
    const reading = readPage(org, run, after).finally(() => opening.delete(after))
    opening.set(after, reading)
    return reading
  }

  const open: StreamService['open'] = async (org, run, after, { headers = {}, leavesOutOutput = false } = {}) => {
    const held = hold(org, run)
    const { channel, watching, release } = held
    try {
      // Subscribe first, then read, so that nothing in between is missed.
      const { arm } = await watching
      const page = await readFirst(org, run, after, held)
      if (!page) throw new Fault('not_found', `No run ${runIdOf(run)}`)
      if (after > page.known) {
        const message = `Run ${runIdOf(run)} has no frame ${after}: its last one is ${page.known}. Read the stream from its start, without Last-Event-ID`
        throw new Fault('invalid_request', message, { param: 'Last-Event-ID' })
      }
      arm()
      const named = { 'x-run-id': runIdOf(run), location: `/v2/runs/${runIdOf(run)}`, ...headers }
      return new EventStream(named, (sink) => channel.attach(sink, { after, leavesOutOutput }, page))
    } catch (error) {
      release()
      throw error
    }
  }

  return {
    open,
    begin: async ({ org, lastEventId, idempotencyKey }, accept) => {
      const after = resumeAfter(lastEventId, undefined)
      if (after > 0 && idempotencyKey === undefined) {
        const message = 'A new run has no frames to resume after; GET /runs/{id}/stream resumes a stream'
        throw new Fault('invalid_request', message, { param: 'Last-Event-ID' })
      }
      const { run, replayed } = await accept()
      return replayed
        ? open(org, run.uuid, after, { headers: { 'idempotency-replayed': 'true' } })
        : open(org, run.uuid, 0)
    },
    watch: ({ org, lastEventId }, { uuid }, { after, deltas }) =>
      open(org, uuid, resumeAfter(lastEventId, after), { leavesOutOutput: deltas === 'false' }),
  }
}

/** As many rows as fit into a page, at least one. The database counts the stored, possibly compressed size. */
const encodePage = (run: string, rows: readonly StoredFrame[]): { frames: Frame[]; isCut: boolean } => {
  const frames: Frame[] = []
  let chars = 0
  for (const row of rows) {
    if (chars > maxPageBytes) return { frames, isCut: true }
    const frame = encodeRunFrame(runIdOf(run), row)
    chars += frame.text.length
    frames.push(frame)
  }
  return { frames, isCut: false }
}
