import type { StreamSink } from '@ars/contract'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import type { Log } from '@ars/platform/log/log'
import type { News } from './frame.ts'
import { type Piece, pieceOf, restOf } from './piece.ts'

/** A piece that was read, and the last number that the run had by then. */
export type Page = Piece & { known: number }

/**
 * All readers of one run in this process. What is new is given to those who stand at the end of the feed as it comes,
 * one string for all; those who are behind, or whose news got lost, are given what is read, one read at a time.
 */
export type Channel = {
  hear(news: News): void
  /** Begins with a page that was read for this reader. Answers how to stop. */
  attach(sink: StreamSink, after: number, page: Page): () => void
}

type Reader = { sink: StreamSink; after: number; hadSnapshot: boolean; isWaiting: boolean }

export const createChannel = (deps: {
  /** Null: the run is gone. */
  read(after: number): Promise<Page | null>
  onDetach(): void
  log: Log
}): Channel => {
  const readers = new Set<Reader>()
  let known = 0
  /** The run has ended and how was not told, so even those who seem to have everything must look. */
  let mustLook = false
  let isReading = false

  const leave = (reader: Reader): void => {
    if (readers.delete(reader)) deps.onDetach()
  }

  const give = (reader: Reader, piece: Piece): void => {
    if (reader.after < piece.after) return
    if (reader.after < piece.last) write(reader, piece)
    if (!piece.ended) return
    leave(reader)
    reader.sink.end()
  }

  const write = (reader: Reader, piece: Piece): void => {
    const isWhole = piece.text !== null && reader.after === piece.after
    const rest = isWhole ? null : restOf(piece, reader)
    reader.after = piece.last
    if (rest) reader.hadSnapshot = rest.hadSnapshot
    const text = rest?.text ?? piece.text ?? ''
    const count = rest?.count ?? piece.items.length
    if (count === 0 || reader.sink.write(text, count) || reader.isWaiting) return
    // Whoever is slow is read for only when it has taken what it has. What comes new is given to it all the same, and
    // the gateway cuts it off when too much waits.
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
    // What was known is asked for anew: after a fail-over the database may know less than was told.
    mustLook = false
    known = 0
    const page = await deps.read(Math.min(...behind.map(({ after }) => after)))
    if (!page) return interrupt(readers)
    known = Math.max(known, page.known)
    for (const reader of readers) if (!reader.isWaiting) give(reader, page)
  }

  const pump = async (): Promise<void> => {
    if (isReading) return
    isReading = true
    try {
      while (hasBehind()) await readNext()
    } catch (error) {
      if (error instanceof DatabaseUnavailable) deps.log.warn('stream could not be read', { error })
      else deps.log.error('stream could not be read', { error })
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
      known = Math.max(known, news.seq)
      const piece = pieceOf(news)
      if (piece) for (const reader of readers) give(reader, piece)
      else mustLook ||= news.ended === true
      if (mustLook || hasBehind()) void pump()
    },
    attach: (sink, after, page) => {
      const reader: Reader = { sink, after, hadSnapshot: false, isWaiting: false }
      readers.add(reader)
      known = Math.max(known, page.known)
      give(reader, page)
      void pump()
      return () => leave(reader)
    },
  }
}
