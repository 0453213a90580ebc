import type { Frame } from '../../lab/client/sse-frames.ts'

const terminal = new Map([
  ['run.completed', 'completed'],
  ['run.failed', 'failed'],
  ['run.cancelled', 'cancelled'],
])

/** Compares the frames that one client collected over all its connections with the stored events. */
export type WatchedStream = {
  name: string
  frames: readonly Frame[]
  /** Null: the run has no text to compare with. */
  result: string | null
  status: string
}

/** R23: no gap, no frame twice, one end, and the deltas that remain are the stored output, byte for byte. */
export const checkStream = ({ name, frames, result, status }: WatchedStream): string[] => {
  const misplaced = frames.findIndex(({ id }, at) => id !== (frames[at - 1]?.id ?? 0) + 1)
  const ends = frames.filter(({ event }) => terminal.has(event))
  const last = frames.at(-1)
  const mislabelled = frames.find(({ event, data }) => data.type !== event)
  const text = textOf(frames)
  return [
    ...(misplaced === -1 ? [] : [`frame ${frames[misplaced]?.id} follows ${frames[misplaced - 1]?.id ?? 'nothing'}`]),
    ...(ends.length === 1 ? [] : [`has ${ends.length} terminal events`]),
    ...(last && terminal.has(last.event) ? [] : [`ends with ${last?.event ?? 'nothing'}`]),
    ...(ends[0] && terminal.get(ends[0].event) !== status ? [`tells of ${ends[0].event} and is ${status}`] : []),
    ...(mislabelled ? [`frame ${mislabelled.id} is ${mislabelled.event} and says ${mislabelled.data.type}`] : []),
    ...(result === null || text === result
      ? []
      : [
          `its deltas are ${text.length} characters and its output ${result.length}, first apart at ${firstApart(text, result)}`,
        ]),
  ].map((fault) => `stream ${name} ${fault}`)
}

/** The deltas in their order, without those of a step that was begun again. */
export const textOf = (frames: readonly Frame[]): string => {
  let kept: { step: number | undefined; delta: string }[] = []
  for (const { event, data } of frames) {
    if (event === 'run.output.delta') kept.push({ step: data.step, delta: data.delta ?? '' })
    if (event === 'run.output.reset') kept = kept.filter(({ step }) => step !== data.step)
  }
  return kept.map(({ delta }) => delta).join('')
}

const firstApart = (one: string, other: string): number => {
  let at = 0
  while (at < one.length && one[at] === other[at]) at++
  return at
}
