import type { StreamSink } from '@ars/contract'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { fromUuid } from '@ars/platform/id'
import type { Log } from '@ars/platform/log/log'
import { framesBetween, numberFrames, type PipelineFrames, type PipelinePicture } from './pipeline-frame.ts'

/**
 * All readers of one pipeline run in this process. They share each reading of it, and each of them gets the difference to the picture
 * that it had. A slow reader gets nothing until it has taken its data: then it gets one difference, however much has happened.
 */
export type PipelineChannel = {
  /** Reads the pipeline run, and tells the readers what has changed. */
  look(): Promise<void>
  /** Begins with the snapshot that was read for this reader. Answers a function that detaches it. */
  attach(sink: StreamSink, first: FirstFrame): () => void
}

/** `sent`: the frames that the client had before it reconnected. Its ids go on from there. */
export type FirstFrame = { snapshot: string; picture: PipelinePicture; sent: number }

type Reader = { sink: StreamSink; seen: PipelinePicture; sent: number; isWaiting: boolean }

export const createPipelineChannel = (deps: {
  /** The UUID of the pipeline run. */
  id: string
  /** Null: the pipeline run is gone. */
  read(): Promise<PipelinePicture | null>
  onDetach(): void
  log: Log
}): PipelineChannel => {
  const readers = new Set<Reader>()
  let newest: PipelinePicture | null = null
  /** Most readers have the same picture, so their frames are encoded once. */
  let encoded: { before: PipelinePicture; after: PipelinePicture; frames: PipelineFrames } | null = null

  const leave = (reader: Reader): void => {
    if (readers.delete(reader)) deps.onDetach()
  }

  const framesFor = (before: PipelinePicture, after: PipelinePicture): PipelineFrames => {
    if (encoded?.before !== before || encoded.after !== after)
      encoded = { before, after, frames: framesBetween(before, after) }
    return encoded.frames
  }

  const write = (reader: Reader, frames: PipelineFrames): void => {
    if (frames.length === 0) return
    const text = numberFrames(frames, reader.sent)
    reader.sent += frames.length
    if (reader.sink.write(text, frames.length) || reader.isWaiting) return
    reader.isWaiting = true
    reader.sink.whenReady(() => {
      reader.isWaiting = false
      if (newest && readers.has(reader)) give(reader, newest)
    })
  }

  const give = (reader: Reader, picture: PipelinePicture): void => {
    // A reading that began earlier may end later.
    if (reader.isWaiting || picture.reading <= reader.seen.reading) return
    const frames = framesFor(reader.seen, picture)
    reader.seen = picture
    write(reader, frames)
    if (picture.end !== null) end(reader)
  }

  const end = (reader: Reader): void => {
    leave(reader)
    reader.sink.end()
  }

  const interruptAll = (): void => {
    for (const reader of readers) {
      leave(reader)
      reader.sink.interrupt()
    }
  }

  return {
    look: async () => {
      try {
        const picture = await deps.read()
        if (!picture) return interruptAll()
        if (newest === null || picture.reading > newest.reading) newest = picture
        for (const reader of readers) give(reader, picture)
      } catch (error) {
        const facts = { pipeline_run_id: fromUuid('plr', deps.id), error }
        if (error instanceof DatabaseUnavailable) deps.log.warn('pipeline stream could not be read', facts)
        else deps.log.error('pipeline stream could not be read', facts)
        interruptAll()
      }
    },
    attach: (sink, { snapshot, picture, sent }) => {
      const reader: Reader = { sink, seen: picture, sent, isWaiting: false }
      readers.add(reader)
      write(reader, picture.end === null ? [snapshot] : [snapshot, picture.end])
      if (picture.end !== null) end(reader)
      return () => leave(reader)
    },
  }
}
