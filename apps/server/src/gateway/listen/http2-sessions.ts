import type { Http2SecureServer, ServerHttp2Session } from 'node:http2'
import type { Clock } from '@ars/platform/clock'

type Bounds = { headersTimeoutMs: number; idleTimeoutMs: number; checkEveryMs: number; clock: Clock }

type Watched = { streams: number; quietSinceMs: number; isNew: boolean }

/**
 * Closes idle HTTP/2 connections: new ones after a short time, used ones after a longer time. Bytes alone do not count
 * as use, or a client could hold a connection with half a request.
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
      // A session that is still open at the next check ignored the GOAWAY frame and is destroyed.
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
