import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { loadCases } from './cases.ts'
import { judge } from './judge.ts'
import { createSession, type Session } from './session.ts'
import type { Case, Json } from './types.ts'

export type Verdict = { runner: string; name: string; faults: readonly string[]; skipped?: string }

export type ConformanceServer = {
  readonly url: string
  readonly cases: readonly Case[]
  readonly verdicts: readonly Verdict[]
  close(): Promise<void>
}

const apiKey = 'ars_live_conformance'

/**
 * Plays the transcripts over plain HTTP on this computer, and judges what the clients sent and returned. `only` is a part
 * of the names of the cases.
 */
export const startConformanceServer = async (only = ''): Promise<ConformanceServer> => {
  const cases = loadCases().filter(({ name }) => name.includes(only))
  const verdicts: Verdict[] = []
  const sessions = new Map<string, Session>()
  const sockets = new Set<Socket>()

  const control: Record<string, (body: Record<string, Json>, session?: Session) => Promise<unknown>> = {
    'GET /cases': async () => ({
      cases: cases.map(({ exchanges: _, also: __, ...one }) => ({
        ...one,
        calls: one.calls.map(({ expect: ___, ...call }) => call),
      })),
    }),
    'POST /sessions': async ({ case: name, runner }) => {
      const id = `s${sessions.size + 1}`
      sessions.set(id, createSession(id, String(runner), caseNamed(cases, name)))
      return { session: id, base_url: `${url}/${id}/v2`, api_key: apiKey }
    },
    'POST /skips': async ({ case: name, runner, reason }) => {
      const { may_skip: allowed } = caseNamed(cases, name)
      const faults = allowed === undefined ? [`The case must not be skipped (${reason})`] : []
      verdicts.push({ runner: String(runner), name: String(name), faults, skipped: String(reason) })
      return { passed: faults.length === 0, faults }
    },
    'POST /outcome': async ({ outcomes }, session) => {
      if (!session) throw new Error('No such session')
      const faults = await judge(session, outcomes as readonly Json[], apiKey)
      verdicts.push({ runner: session.runner, name: session.oneCase.name, faults })
      return { passed: faults.length === 0, faults }
    },
    'GET /wait': async ({ requests }, session) => {
      await session?.waitForRequests(Number(requests))
      return {}
    },
  }

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const address = request.url ?? ''
    const body = await text(request)
    const [, id = '', below = ''] = /^\/(s\d+)\/v2(.*)$/s.exec(address) ?? []
    const session = sessions.get(id)
    if (session) return session.answer(below, request, body, response)
    const { pathname, searchParams } = new URL(address, url)
    const [, prefix = '', name = ''] = /^(?:\/sessions\/(s\d+))?(\/\w+)$/.exec(pathname) ?? []
    const act = control[`${request.method} ${name}`]
    if (!act) return void response.writeHead(404).end()
    const given = body === '' ? Object.fromEntries(searchParams) : JSON.parse(body)
    const answer = JSON.stringify(await act(given, sessions.get(prefix)))
    response.writeHead(200, { 'content-type': 'application/json' }).end(answer)
  }

  const server = createServer((request, response) => {
    response.on('error', () => undefined)
    serve(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(400).end(String(error))
    })
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  return {
    url,
    cases,
    verdicts,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

const caseNamed = (cases: readonly Case[], name: Json | undefined): Case => {
  const found = cases.find((one) => one.name === name)
  if (!found) throw new Error(`There is no case "${name}"`)
  return found
}
