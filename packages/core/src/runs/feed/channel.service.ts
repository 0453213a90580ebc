import type { StreamSink } from '@ars/contract'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Log } from '@ars/platform/log/log'
import type { News } from './frame.ts'
import { type FrameRange, frameRangeOf, restOf } from './frame-range.ts'

/** A frame range that was read, and the last number of the run at that time. */
export type FramePage = FrameRange & { known: number }

/**
 * All readers of one run in this process. New frames are written to readers at the end of the feed as they arrive,
 * one string for all; readers that are behind, or that missed a message, get frames from the database, one read at a
 * time.
 */
export type Channel = {
  hear(news: News): void
  /** Begins with a page that was read for this reader. Answers a function that detaches it. */
  attach(sink: StreamSink, at: Position, page: FramePage): () => void
}

/** Where a reader begins, and whether it gets the text of the steps. */
type Position = { after: number; leavesOutOutput: boolean }

type Reader = Position & { sink: StreamSink; hadSnapshot: boolean; isWaiting: boolean }

export const createChannel = (deps: {
  /** Null: the run is gone. */
  read(after: number): Promise<FramePage | null>
  onDetach(): void
  run: string
  log: Log
}): Channel => {
  const readers = new Set<Reader>()
  let known = 0
  /** The run has ended and the outcome was not published, so even readers that seem complete must read. */
  let mustLook = false
  let isReading = false

  const leave = (reader: Reader): void => {
    if (readers.delete(reader)) deps.onDetach()
  }

  const give = (reader: Reader, range: FrameRange): void => {
    if (reader.after < range.after) return
    if (reader.after < range.last) write(reader, range)
    if (!range.ended) return
    leave(reader)
    reader.sink.end()
  }

  const write = (reader: Reader, range: FrameRange): void => {
    const isWhole = range.text !== null && reader.after === range.after && !reader.leavesOutOutput
    const rest = isWhole ? null : restOf(range, reader)
    reader.after = range.last
    if (rest) reader.hadSnapshot = rest.hadSnapshot
    const text = rest?.text ?? range.text ?? ''
    const count = rest?.count ?? range.items.length
    if (count === 0 || reader.sink.write(text, count) || reader.isWaiting) return
    // A slow reader is read for only after it has taken its data. New frames are still written to it, and the gateway
    // disconnects it when too much is buffered.
    reader.isWaiting = true
    reader.sink.whenReady(() => {
      reader.isWaiting = false
      void pump()
    })
  }

  const isBehind = (reader: Reader): boolean => !reader.isWaiting && (mustLook || reader.after < known)

  const hasBehind = (): boolean => {
    for (const reader of readers) if (isBehind(reader)) return true
    return false
  }

  const readNext = async (): Promise<void> => {
    const behind = [...readers].filter(isBehind)
    const reached = Math.max(...[...readers].map(({ after }) => after))
    // The state is read again: after a fail-over the database may be behind what was published.
    mustLook = false
    known = 0
    const page = await deps.read(Math.min(...behind.map(({ after }) => after)))
    // The run is gone, or its history went back behind what a reader has: it must ask anew.
    if (!page || page.known < reached) return interrupt(readers)
    known = Math.max(known, page.known)
    for (const reader of readers) if (!reader.isWaiting) give(reader, page)
  }

  const pump = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    try {
      while (hasBehind()) await readNext()
    } catch (error) {
      if (error instanceof DatabaseUnavailable) deps.log.warn('stream could not be read', { run_id: deps.run, error })
      else deps.log.error('stream could not be read', { run_id: deps.run, error })
      interrupt(readers)
    } finally {
      isReading = false
    }
  }

  const interrupt = (all: ReadonlySet<Reader>): void => {
    for (const reader of all) {
      leave(reader)
      reader.sink.interrupt()
    }
  }

  return {
    hear: (news) => {
      if (news.wentBack) {
        known = 0
        return interrupt(readers)
      }
      known = Math.max(known, news.seq)
      const range = frameRangeOf(news)
      if (range) for (const reader of readers) give(reader, range)
      else mustLook ||= news.ended === true
      if (mustLook || hasBehind()) void pump()
    },
    attach: (sink, at, page) => {
      const reader: Reader = { sink, ...at, hadSnapshot: false, isWaiting: false }
      readers.add(reader)
      known = Math.max(known, page.known)
      give(reader, page)
      void pump()
      return () => leave(reader)
    },
  }
}
