import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { StreamSink } from '@ars/contract'
import type { Beating, Heartbeats } from './heartbeats.ts'

/** How a stream came to its end: the run's end, our stop, a reader that was too slow, or a client that left. */
export type StreamEnd = 'ended' | 'interrupted' | 'too_slow' | 'left'

/** What a response of either protocol can do. */
export type RawResponse = ServerResponse | Http2ServerResponse

export type StreamSettings = {
  heartbeats: Heartbeats
  /** What may wait for a slow reader. */
  bufferBytes: number
  /** The line that tells the client when to come back. */
  retryLine(): string
}

/** One client of a stream. There are thousands of them, so it holds next to nothing and starts no timer. */
export class OpenStream implements StreamSink, Beating {
  spokeAt = 0
  frames = 0
  bytes = 0
  endedBy: StreamEnd = 'left'
  readonly #response: RawResponse
  readonly #settings: StreamSettings

  constructor(response: RawResponse, settings: StreamSettings) {
    this.#response = response
    this.#settings = settings
  }

  write(frames: string, count: number): boolean {
    this.frames += count
    return this.#send(frames)
  }

  whenReady(listener: () => void): void {
    this.#response.once('drain', listener)
  }

  end(): void {
    if (this.#isOver()) return
    this.endedBy = 'ended'
    this.#response.end()
  }

  interrupt(retryLine = this.#settings.retryLine()): void {
    if (this.#isOver()) return
    this.#send(retryLine)
    this.endedBy = 'interrupted'
    this.#response.end()
  }

  /** Also carries the headers to the client, which shall not have to wait for the first frame. */
  begin(): void {
    this.#send(this.#settings.retryLine())
  }

  beat(): void {
    this.#send(':\n\n')
  }

  #send(text: string): boolean {
    if (this.#isOver()) return false
    // What still waits is bounded, not the frame that is written: one that is larger than the bound must pass too.
    if (this.#waitingBytes() > this.#settings.bufferBytes) {
      this.endedBy = 'too_slow'
      this.#response.destroy()
      return false
    }
    this.bytes += Buffer.byteLength(text)
    this.spokeAt = this.#settings.heartbeats.tick
    return (this.#response as ServerResponse).write(text)
  }

  #isOver(): boolean {
    return this.#response.destroyed || this.#response.writableEnded
  }

  #waitingBytes(): number {
    return 'stream' in this.#response ? this.#response.stream.writableLength : this.#response.writableLength
  }
}
