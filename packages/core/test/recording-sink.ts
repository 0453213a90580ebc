import type { StreamSink } from '@ars/contract'

/** The client's side of a stream: what it was sent, and how it ended. */
export type RecordingSink = StreamSink & {
  text: string
  outcome: 'open' | 'ended' | 'interrupted'
  /** From now on it takes nothing until `resume` is called. */
  isSlow: boolean
  resume(): void
  ids(): number[]
  frames(): SeenFrame[]
}

// biome-ignore lint/suspicious/noExplicitAny: a frame is looked into by tests that say what they expect of it
export type SeenFrame = { id: number; event: string; data: any }

export const recordingSink = (): RecordingSink => {
  const waiting: (() => void)[] = []
  const sink: RecordingSink = {
    text: '',
    outcome: 'open',
    isSlow: false,
    write: (frames) => {
      sink.text += frames
      return !sink.isSlow
    },
    whenReady: (listener) => {
      waiting.push(listener)
    },
    resume: () => {
      for (const listener of waiting.splice(0)) listener()
    },
    end: () => {
      sink.outcome = 'ended'
    },
    interrupt: () => {
      sink.outcome = 'interrupted'
    },
    frames: () => parseFrames(sink.text),
    ids: () => sink.frames().map(({ id }) => id),
  }
  return sink
}

/** As a strict reader of the format would: blocks between empty lines, fields before the first colon. */
export const parseFrames = (text: string): SeenFrame[] =>
  text
    .split('\n\n')
    .filter((block) => block.startsWith('id: '))
    .map((block) => {
      const fields = new Map(
        block.split('\n').map((line) => [line.split(': ', 1)[0], line.slice(line.indexOf(': ') + 2)]),
      )
      return {
        id: Number(fields.get('id')),
        event: fields.get('event') ?? '',
        data: JSON.parse(fields.get('data') ?? 'null'),
      }
    })
