import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import type { Clock } from '@ars/platform/clock'

type Bounds = { headersTimeoutMs: number; idleTimeoutMs: number; checkEveryMs: number; clock: Clock }

type Watched = { streams: number; quietSinceMs: number; isNew: boolean }

/**
 * HTTP/2 connections that ask for nothing are closed: a new one soon, one that was used after a while. Bytes alone do
 * not count as use, or a client could hold a connection with the first half of a request for ever.
 */
export const watchSessions = (server: Http2SecureServer, bounds: Bounds): { close(): void } => {
  const sessions = new Map<ServerHttp2Session, Watched>()
  const { clock } = bounds

  server.on('session', (session) => {
    const watched: Watched = { streams: 0, quietSinceMs: clock.monotonicMs(), isNew: true }
    sessions.set(session, watched)
    session.on('close', () => sessions.delete(session))
    session.on('stream', (stream) => {
      watched.streams++
      watched.isNew = false
      stream.once('close', () => {
        watched.streams--
        watched.quietSinceMs = clock.monotonicMs()
      })
    })
  })

  const look = (): void => {
    const nowMs = clock.monotonicMs()
    for (const [session, { streams, quietSinceMs, isNew }] of sessions) {
      const mostMs = isNew ? bounds.headersTimeoutMs : bounds.idleTimeoutMs
      if (streams > 0 || nowMs - quietSinceMs < mostMs) continue
      // Told once that it is over; one that is still there the next time does not listen.
      if (session.closed) session.destroy()
      else session.close()
    }
  }
  const timer = setInterval(look, bounds.checkEveryMs)
  timer.unref()

  return {
    close: () => {
      clearInterval(timer)
      for (const session of sessions.keys()) session.close()
    },
  }
}
