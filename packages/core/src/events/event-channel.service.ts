import type { EventType, StreamSink } from '@ars/contract'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Log } from '@ars/platform/log/log'
import type { Place } from './event-place.store.ts'

export type EventFrame = { position: number; id: string; type: EventType; createdAt: Date; text: string }

/** What follows a place. `last` may lie beyond the frames, when what follows them is of no type that was asked for. */
export type EventPiece = { after: Place; frames: readonly EventFrame[]; last: Place; isComplete: boolean }

/** Which events a reader wants. */
export type EventFilter = {
  types: ReadonlySet<EventType> | null
  since: Date | null
  /** One that the reader has already, although it stands further on. */
  except: string | null
}

/**
 * All readers of one organisation's events in this process. Those who stand at the end share one read of what is new; those
 * who are behind are read for in between, one page at a time, so that nobody's past delays what happens now. Nothing is read
 * for a slow reader until it has taken what it was given.
 */
export type EventChannel = {
  /** There may be something new. */
  hear(): void
  /** `end`: the last place that was given when the reader came. Answers how to stop. */
  attach(sink: StreamSink, begin: { after: Place; end: Place; filter: EventFilter }): () => void
}

type Reader = { sink: StreamSink; filter: EventFilter; after: Place; isWaiting: boolean }

export const createEventChannel = (deps: {
  read(after: Place, types: readonly EventType[] | null): Promise<EventPiece>
  onDetach(): void
  log: Log
}): EventChannel => {
  const readers = new Set<Reader>()
  let end: Place | null = null
  let hasNews = false
  let isReading = false

  const leave = (reader: Reader): void => {
    if (readers.delete(reader)) deps.onDetach()
  }

  const give = (reader: Reader, piece: EventPiece): void => {
    if (!readers.has(reader) || reader.after.position >= piece.last.position) return
    const frames = piece.frames.filter((frame) => frame.position > reader.after.position && isFor(reader.filter, frame))
    reader.after = piece.last
    if (frames.length === 0 || reader.sink.write(frames.map(({ text }) => text).join(''), frames.length)) return
    reader.isWaiting = true
    reader.sink.whenReady(() => {
      reader.isWaiting = false
      void pump()
    })
  }

  const ready = (): Reader[] => [...readers].filter(({ isWaiting }) => !isWaiting)

  const isAtEnd = (reader: Reader): boolean => reader.after.position >= (end?.position ?? 0)

  const readNew = async (from: Place, standing: readonly Reader[]): Promise<void> => {
    hasNews = false
    const piece = await deps.read(from, typesOf(standing))
    if (!piece.isComplete) hasNews = true
    end = piece.last
    for (const reader of standing) give(reader, piece)
  }

  const readPast = async (behind: readonly Reader[]): Promise<void> => {
    const [first, ...others] = behind.map(({ after }) => after)
    if (!first) return
    const from = others.reduce((least, place) => (place.position < least.position ? place : least), first)
    const known = end
    const piece = await deps.read(from, typesOf(behind))
    // What was there and is gone by now (its day was dropped) is passed over.
    const isPast = piece.isComplete && known !== null && known.position > piece.last.position
    for (const reader of behind) give(reader, isPast ? { ...piece, last: known } : piece)
  }

  const pump = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    try {
      for (;;) {
        const standing = ready().filter(isAtEnd)
        const isNew = hasNews && standing.length > 0 && end !== null
        if (isNew && end) await readNew(end, standing)
        const behind = ready().filter((reader) => !isAtEnd(reader))
        await readPast(behind)
        if (!isNew && behind.length === 0) return
      }
    } catch (error) {
      if (error instanceof DatabaseUnavailable) deps.log.warn('event stream could not be read', { error })
      else deps.log.error('event stream could not be read', { error })
      interruptAll()
    } finally {
      isReading = false
    }
  }

  const interruptAll = (): void => {
    for (const reader of readers) {
      leave(reader)
      reader.sink.interrupt()
    }
  }

  return {
    hear: () => {
      hasNews = true
      void pump()
    },
    attach: (sink, begin) => {
      const reader: Reader = { sink, filter: begin.filter, after: begin.after, isWaiting: false }
      if (end === null || readers.size === 0) end = begin.end
      readers.add(reader)
      hasNews = true
      void pump()
      return () => leave(reader)
    },
  }
}

const isFor = ({ types, since, except }: EventFilter, { type, createdAt, id }: EventFrame): boolean =>
  (types === null || types.has(type)) && (since === null || createdAt >= since) && id !== except

/** Null: all types, because somebody wants them. */
const typesOf = (readers: readonly Reader[]): EventType[] | null => {
  const all = new Set<EventType>()
  for (const { filter } of readers) {
    if (filter.types === null) return null
    for (const type of filter.types) all.add(type)
  }
  return [...all]
}
