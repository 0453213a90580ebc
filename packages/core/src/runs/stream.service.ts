import { EventStream, type RunId, type Run as WireRun } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { toUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { createTurns } from '../turns.ts'
import { type Channel, createChannel, type Page } from './channel.service.ts'
import type { Feed, Watch } from './feed.service.ts'
import { findFrames } from './feed.store.ts'
import {
  encodeEnd,
  encodeFrame,
  encodeSnapshot,
  type Frame,
  isEnding,
  resumeAfter,
  type StoredFrame,
  withHoles,
} from './frame.ts'
import { type Item, toPiece } from './piece.ts'
import { runIdOf } from './run.ts'

export type StreamService = {
  /**
   * The frames of a run that the request creates. One that is sent again, as some clients do to reconnect, finds the
   * run of its key and goes on where it left off; a new run begins at its beginning.
   */
  begin(
    ctx: Pick<Ctx, 'org' | 'lastEventId' | 'idempotencyKey'>,
    accept: () => Promise<{ uuid: string; replayed: boolean }>,
  ): Promise<EventStream>
  /** The frames of a run from wherever the caller left off. */
  watch(ctx: Pick<Ctx, 'org' | 'lastEventId'>, id: RunId, after: number | undefined): Promise<EventStream>
  /**
   * The frames after number `after`, at any age of the run. Whoever is given the stream must attach to it, and stop
   * it in the end. The headers are added to those that name the run.
   */
  open(org: string, run: string, after: number, headers?: Readonly<Record<string, string>>): Promise<EventStream>
}

type Deps = {
  app: Database
  feed: Feed
  log: Log
  /** The run as the wire shows it, for the frames that hold it whole. Null: there is none. */
  readRun(org: string, run: string): Promise<WireRun | null>
}

// A page is bounded by rows and by bytes, so that one large run cannot fill the memory of a gateway.
const pageRowsMost = 200
const pageBytesMost = 131_072
/**
 * When wake-ups are lost, all runs that are watched must be read in the same second. They take turns here, where waiting
 * costs nothing: in the pool they would give up, their streams would be cut, and requests would find no connection.
 */
const readsAtOnceMost = 4

/** The readers of a run, and the subscription that they share for as long as one of them holds it. */
type Shared = {
  channel: Channel
  watching: Promise<Watch>
  holds: number
  /** First pages that are being read, by the number that they follow. */
  opening: Map<number, Promise<Page | null>>
  release(): void
}

export const createStreams = (deps: Deps): StreamService => {
  const shared = new Map<string, Shared>()
  const inTurn = createTurns(readsAtOnceMost)

  const readPage = async (org: string, run: string, after: number): Promise<Page | null> => {
    const found = await findFrames(deps.app, org, { run, after, most: pageRowsMost, bytesMost: pageBytesMost })
    if (!found) return null
    const { frames, isCut } = encodePage(run, found.rows)
    const lastIsEnd = !isCut && isEnding(found.rows.at(-1)?.type ?? '')
    const isComplete = !isCut && (found.complete || lastIsEnd)
    const ended = isComplete && (found.ended || lastIsEnd)
    const last = isComplete ? Math.max(found.seq, after) : (frames.at(-1)?.seq ?? after)
    // The last frame is made of the run itself, so it is there even when the events are erased.
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
    return { ...toPiece({ after, last, items, ended }), known: found.seq }
  }

  const hold = (org: string, run: string): Shared => {
    // The organisation is part of the name, because the channel reads in its name.
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
      read: (after) => inTurn(() => readPage(org, run, after)),
      onDetach: release,
      log: deps.log,
    })
    const watching = deps.feed.watch(run, channel.hear)
    const made: Shared = { channel, watching, holds: 1, opening: new Map(), release }
    shared.set(key, made)
    return made
  }

  /**
   * Whoever opens a run at the same place in the same moment is given the same page: many who follow one run would
   * otherwise empty the pool. The subscription is older than the page, so nothing is missed.
   */
  const readFirst = (org: string, run: string, after: number, { opening }: Shared): Promise<Page | null> => {
    const known = opening.get(after)
    if (known !== undefined) return known
    const reading = readPage(org, run, after).finally(() => opening.delete(after))
    opening.set(after, reading)
    return reading
  }

  const open: StreamService['open'] = async (org, run, after, headers = {}) => {
    const held = hold(org, run)
    const { channel, watching, release } = held
    try {
      // Whoever watches subscribes first, then reads: what comes in between is then heard.
      const { arm } = await watching
      const page = await readFirst(org, run, after, held)
      if (!page) throw new Fault('not_found', `No run ${runIdOf(run)}`)
      if (after > page.known) {
        throw new Fault('invalid_request', `Run ${runIdOf(run)} has no frame ${after}`, { param: 'Last-Event-ID' })
      }
      arm()
      const named = { 'x-run-id': runIdOf(run), location: `/v2/runs/${runIdOf(run)}`, ...headers }
      return new EventStream(named, (sink) => channel.attach(sink, after, page))
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
      const { uuid, replayed } = await accept()
      return replayed ? open(org, uuid, after, { 'idempotency-replayed': 'true' }) : open(org, uuid, 0)
    },
    watch: ({ org, lastEventId }, id, after) => open(org, toUuid(id), resumeAfter(lastEventId, after)),
  }
}

/** As many rows as fit a page, at least one. The size that the database goes by is smaller where it has compressed. */
const encodePage = (run: string, rows: readonly StoredFrame[]): { frames: Frame[]; isCut: boolean } => {
  const frames: Frame[] = []
  let chars = 0
  for (const row of rows) {
    if (chars > pageBytesMost) return { frames, isCut: true }
    const frame = encodeFrame(runIdOf(run), row)
    chars += frame.text.length
    frames.push(frame)
  }
  return { frames, isCut: false }
}
