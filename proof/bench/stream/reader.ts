import type { StreamOutcome } from './protocol.ts'

/** Where what comes is counted while a window is open. */
export type OpenTally = {
  isOpen: boolean
  latenciesMs: number[]
  bytes: number
}

/** Reads one event stream and keeps account of its numbers. Text comes as it comes, cut anywhere. */
export class StreamReader {
  readonly outcome: StreamOutcome
  readonly #tally: OpenTally
  readonly #nowMs: () => number
  #rest = ''

  constructor(tally: OpenTally, nowMs: () => number) {
    this.#tally = tally
    this.#nowMs = nowMs
    this.outcome = {
      ...{ run: '', firstId: 0, lastId: 0, frames: 0, deltas: 0, gaps: 0, duplicates: 0 },
      ending: undefined,
      failure: undefined,
    }
  }

  read(text: string): void {
    const all = this.#rest + text
    let at = 0
    for (let end = all.indexOf('\n\n'); end >= 0; end = all.indexOf('\n\n', at)) {
      // A line without a number is a comment, or tells when to come back.
      if (all.startsWith('id: ', at)) this.#take(all.slice(at, end))
      at = end + 2
    }
    this.#rest = all.slice(at)
  }

  #take(frame: string): void {
    const { outcome } = this
    const eventAt = frame.indexOf('\nevent: ')
    const dataAt = frame.indexOf('\ndata: ')
    const id = Number(frame.slice(4, eventAt))
    const event = frame.slice(eventAt + 8, dataAt)
    if (outcome.frames === 0) outcome.firstId = id
    else if (id <= outcome.lastId) outcome.duplicates++
    else if (id !== outcome.lastId + 1) outcome.gaps++
    outcome.lastId = Math.max(outcome.lastId, id)
    outcome.frames++
    // Nothing may follow the end, so a later frame takes its place and shows up as a stream without an end.
    outcome.ending = endings.has(event) ? event : undefined
    if (event !== 'run.output.delta') return
    outcome.deltas++
    if (!this.#tally.isOpen) return
    this.#tally.bytes += frame.length + 2
    this.#tally.latenciesMs.push(this.#nowMs() - createdAtMs(frame))
  }
}

const endings: ReadonlySet<string> = new Set(['run.completed', 'run.failed', 'run.cancelled'])
const dateMark = '"created_at":"'

const createdAtMs = (frame: string): number => {
  const at = frame.indexOf(dateMark) + dateMark.length
  return Date.parse(frame.slice(at, frame.indexOf('"', at)))
}
