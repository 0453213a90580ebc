import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createHeartbeats, type Heartbeats } from '../src/gateway/stream/heartbeats.ts'

const everyMs = 15_000
let heartbeats: Heartbeats
beforeEach(() => {
  vi.useFakeTimers()
  heartbeats = createHeartbeats(everyMs)
})
afterEach(() => {
  heartbeats.close()
  vi.useRealTimers()
})

/** A stream that records when it sent anything, data or a heartbeat. */
const startStream = () => {
  const stream = {
    spokeAt: 0,
    saidAtMs: [Date.now()],
    beats: 0,
    beat: () => {
      stream.beats++
      stream.saidAtMs.push(Date.now())
    },
    speak: () => {
      stream.spokeAt = heartbeats.tick
      stream.saidAtMs.push(Date.now())
    },
    longestSilenceMs: () => Math.max(...stream.saidAtMs.map((at, n) => at - (stream.saidAtMs[n - 1] ?? at))),
  }
  heartbeats.add(stream)
  return stream
}

test('a stream is never silent for longer than the interval, whenever it last sent data', () => {
  const streams = Array.from({ length: 40 }, (_, n) => ({ pauseMs: 300 + n * 977, stream: startStream() }))
  for (let ms = 0; ms < 300_000; ms += 100) {
    vi.advanceTimersByTime(100)
    for (const { pauseMs, stream } of streams) if (ms % pauseMs < 100) stream.speak()
  }
  for (const { stream } of streams) expect(stream.longestSilenceMs()).toBeLessThanOrEqual(everyMs)
})

test('a stream that sends data gets no heartbeat', () => {
  const [talkative, silent] = [startStream(), startStream()]
  for (let ms = 0; ms < 150_000; ms += 5_000) {
    vi.advanceTimersByTime(5_000)
    talkative.speak()
  }
  expect(talkative.beats).toBe(0)
  expect(silent.beats).toBe(10)
})

test('a closed stream is removed, and all streams share one timer', () => {
  const stream = startStream()
  for (let n = 0; n < 1_000; n++) startStream()
  expect(vi.getTimerCount()).toBe(1)
  heartbeats.remove(stream)
  vi.advanceTimersByTime(100_000)
  expect(stream.beats).toBe(0)
})
