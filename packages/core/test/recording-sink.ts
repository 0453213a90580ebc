import type { StreamSink } from '@ars/contract'

/** The client side of a stream: the received data, and how it ended. */
export type RecordingSink = StreamSink & {
  text: string
  outcome: 'open' | 'ended' | 'interrupted'
  /** From now on it accepts nothing until `resume` is called. */
  isSlow: boolean
  resume(): void
  ids(): number[]
  frames(): SeenFrame[]
}

// biome-ignore lint/suspicious/noExplicitAny: the tests assert the fields that they read
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

/** Like a strict parser of the format: blocks between empty lines, fields before the first colon. */
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
