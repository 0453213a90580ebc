import { readFileSync } from 'node:fs'
import http from 'node:http'
import https from 'node:https'
import { join } from 'node:path'
import { stackFacts } from '@ars/testkit/stack'

/** The requests that reached the unprotected service. */
export type Arrival = { method: string; path: string; hasCookie: boolean }

export type ForeignPages = {
  port: number
  plainPort: number
  /** A service that accepts every request of every page, to prove that the attacks work. */
  naiveUrl: string
  arrivals: Arrival[]
  stop(): Promise<void>
}

export const sessionCookie = '__Host-ars_session'
export const naiveCookie = '__Host-naive'

/** Pages of other origins, under any name: over TLS and over plain HTTP. */
export const serveForeignPages = async (ports: { secure: number; plain: number }): Promise<ForeignPages> => {
  const { certFile, keyFile } = stackFacts().tls
  const arrivals: Arrival[] = []
  const answer: http.RequestListener = (request, response) => {
    if (request.headers.host?.startsWith('naive.')) return obey(arrivals, request, response)
    const page = pages[request.url ?? '']
    response.writeHead(page ? 200 : 404, { 'content-type': 'text/html; charset=utf-8', ...page?.headers })
    response.end(page?.body)
  }
  const servers = [
    https.createServer({ cert: readFileSync(certFile), key: readFileSync(keyFile) }, answer).listen(ports.secure),
    http.createServer(answer).listen(ports.plain),
  ]
  return {
    port: ports.secure,
    plainPort: ports.plain,
    naiveUrl: `https://naive.example.com:${ports.secure}`,
    arrivals,
    stop: async () => {
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise((resolve) => server.close(resolve))
      }
    },
  }
}

const page = `<!doctype html><title>Win a prize</title><body><script src="/attacker-page.js"></script>`

const pages: Record<string, { body: string; headers?: Record<string, string | string[]> }> = {
  '/': { body: page },
  // A frame without `allow-same-origin` has the origin `null`.
  '/sandbox': {
    body: '<!doctype html><title>Win a prize</title><iframe sandbox="allow-scripts allow-forms allow-popups" src="/"></iframe>',
  },
  // A sibling site tries to set the visitor's session cookie.
  '/plant': {
    body: page,
    headers: {
      'set-cookie': [
        `${sessionCookie}=planted; Secure; Path=/; Domain=example.com`,
        `${sessionCookie}=planted; Secure; Path=/api; Domain=example.com`,
        `${sessionCookie}=planted; Path=/; Domain=example.com`,
        // The accepted cookie: it shows that this page can set cookies of other names.
        'planted=yes; Secure; Path=/; Domain=example.com',
      ],
    },
  },
  '/attacker-page.js': {
    body: readFileSync(join(import.meta.dirname, 'attacker-page.js'), 'utf8'),
    headers: { 'content-type': 'text/javascript; charset=utf-8' },
  },
}

/** Allows every origin, with credentials, and counts the operations that a real service would have done. */
const obey = (arrivals: Arrival[], request: http.IncomingMessage, response: http.ServerResponse): void => {
  const { method = '', url = '', headers } = request
  const everything = {
    'access-control-allow-origin': headers.origin ?? '*',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET, POST, PATCH, DELETE',
    'access-control-allow-headers': 'content-type',
  }
  // Neither preflight requests nor the favicon.
  if (method !== 'OPTIONS' && url !== '/favicon.ico') {
    arrivals.push({ method, path: url, hasCookie: headers.cookie?.includes(naiveCookie) ?? false })
  }
  request.resume()
  response.writeHead(200, { ...everything, 'content-type': 'text/plain' }).end('obeyed')
}
