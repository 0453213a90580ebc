import type { ServerResponse } from 'node:http'
import type { Http2ServerResponse } from 'node:http2'
import type { StreamSink } from '@ars/contract'
import { serverBounds } from '../../bounds.ts'
import type { Beating, Heartbeats } from './heartbeats.ts'

/**
 * Why a stream ended: the run ended, the gateway stopped, the credential ended or lost permissions, the client read too
 * slowly, or the client disconnected.
 */
export type StreamEnd = 'ended' | 'interrupted' | 'lapsed' | 'too_slow' | 'left'

/** The part of a response that both protocols have. */
export type RawResponse = ServerResponse | Http2ServerResponse

export type StreamSettings = {
  heartbeats: Heartbeats
  /** The maximum of buffered bytes for a slow client. */
  bufferBytes: number
  /** The SSE `retry` line: when the client reconnects. */
  retryLine(): string
}

/** One client of a stream. There are thousands of them, so it holds little state and starts no timer. */
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
    this.#breakOff('interrupted', retryLine)
  }

  /** The credential lapsed. A client that tries to resume is refused, or gets the stream that it may still read. */
  lapse(): void {
    this.#breakOff('lapsed', this.#settings.retryLine())
  }

  /** Also sends the headers, so that the client does not wait for the first frame. */
  begin(): void {
    this.#send(this.#settings.retryLine())
  }

  beat(): void {
    this.#send(':\n\n')
  }

  #breakOff(endedBy: StreamEnd, retryLine: string): void {
    if (this.#isOver()) return
    this.#send(retryLine)
    this.endedBy = endedBy
    this.#response.end()
  }

  #send(text: string): boolean {
    if (this.#isOver()) return false
    // The limit applies to buffered bytes, not to the frame being written: a frame above the limit must pass.
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

/** A client reconnects after a random delay between these bounds. */
const soonestMs = 1_000
const latestMs = 5_000
/**
 * Reconnects per second when all streams of a gateway end together. Each is a handshake and a read of missed frames.
 */
const comingPerSecond = serverBounds.reconnects.count
const maxSpreadMs = serverBounds.reconnectSpread.ms

/** The SSE `retry` line. `ending`: the number of streams that end together. `chance`: 0 to below 1. */
export const retryLine = (chance: number, ending = 1): string => {
  const spreadMs = Math.min(maxSpreadMs, Math.max(latestMs, (ending * 1_000) / comingPerSecond))
  return `retry: ${Math.round(soonestMs + chance * (spreadMs - soonestMs))}\n\n`
}
