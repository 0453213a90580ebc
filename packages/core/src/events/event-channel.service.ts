import type { EventType, StreamSink } from '@ars/contract'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Log } from '@ars/platform/log/log'
import type { EventPosition } from './event-position.store.ts'

export type EventFrame = { position: number; id: string; type: EventType; createdAt: Date; text: string }

/** The events after a position. `last` may lie beyond the frames when the events after them have other types. */
export type EventFrameRange = {
  after: EventPosition
  frames: readonly EventFrame[]
  last: EventPosition
  isComplete: boolean
}

/** The events that a reader wants. */
export type EventFilter = {
  types: ReadonlySet<EventType> | null
  since: Date | null
  /** An event that the reader has already received although its position is later. */
  except: string | null
}

/**
 * All readers of one organisation's events in this process. Readers at the end share one read of new events. Readers
 * that are behind are served in between, one page at a time, so that old events never delay new ones. Nothing is read
 * for a slow reader until it has taken what it was given.
 */
export type EventChannel = {
  /** There may be new events. */
  hear(): void
  /** The last position that was read here. */
  reached(): number
  /** The history of the database went back: the positions here may belong to other events, so all streams are closed. */
  goBack(): void
  /** `end`: the last assigned position when the reader attached. Answers a function that detaches it. */
  attach(sink: StreamSink, begin: { after: EventPosition; end: EventPosition; filter: EventFilter }): () => void
}

type Reader = { sink: StreamSink; filter: EventFilter; after: EventPosition; isWaiting: boolean }

export const createEventChannel = (deps: {
  read(after: EventPosition, types: readonly EventType[] | null): Promise<EventFrameRange>
  onDetach(): void
  log: Log
}): EventChannel => {
  const readers = new Set<Reader>()
  let end: EventPosition | null = null
  let hasNews = false
  let isReading = false

  const leave = (reader: Reader): void => {
    if (readers.delete(reader)) deps.onDetach()
  }

  const give = (reader: Reader, range: EventFrameRange): void => {
    if (!readers.has(reader) || reader.after.position >= range.last.position) return
    const frames = range.frames.filter((frame) => frame.position > reader.after.position && isFor(reader.filter, frame))
    reader.after = range.last
    if (frames.length === 0 || reader.sink.write(frames.map(({ text }) => text).join(''), frames.length)) return
    reader.isWaiting = true
    reader.sink.whenReady(() => {
      reader.isWaiting = false
      void pump()
    })
  }

  const ready = (): Reader[] => [...readers].filter(({ isWaiting }) => !isWaiting)

  const isAtEnd = (reader: Reader): boolean => reader.after.position >= (end?.position ?? 0)

  const readNew = async (from: EventPosition, atEnd: readonly Reader[]): Promise<void> => {
    hasNews = false
    const range = await deps.read(from, typesOf(atEnd))
    // The readers have left in the meantime, and others may have begun elsewhere.
    if (end !== from) return
    if (!range.isComplete) hasNews = true
    end = range.last
    for (const reader of atEnd) give(reader, range)
  }

  const readPast = async (behind: readonly Reader[]): Promise<void> => {
    const [first, ...others] = behind.map(({ after }) => after)
    if (!first) return
    const from = others.reduce((least, position) => (position.position < least.position ? position : least), first)
    const known = end
    const range = await deps.read(from, typesOf(behind))
    // Events that have been dropped with their day in the meantime are skipped.
    const isPast = range.isComplete && known !== null && known.position > range.last.position
    for (const reader of behind) give(reader, isPast ? { ...range, last: known } : range)
  }

  const pump = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    try {
      for (;;) {
        const atEnd = ready().filter(isAtEnd)
        const isNew = hasNews && atEnd.length > 0 && end !== null
        if (isNew && end) await readNew(end, atEnd)
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
    reached: () => end?.position ?? 0,
    goBack: () => {
      end = null
      interruptAll()
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

/** Null: all types, because one of the readers wants them. */
const typesOf = (readers: readonly Reader[]): EventType[] | null => {
  const all = new Set<EventType>()
  for (const { filter } of readers) {
    if (filter.types === null) return null
    for (const type of filter.types) all.add(type)
  }
  return [...all]
}
