import { Agent, type RequestOptions, request } from 'node:https'
import { gzipSync } from 'node:zlib'
import { limits } from '@ars/contract'
import { keyVariants } from '../lab/client/key-variants.ts'
import { seededRandom } from '../lab/random.ts'
import { type Assault, type Attack, count, type Strength, type Tally, type Target } from './attack.ts'

type Shot = {
  method: 'GET' | 'POST'
  path: string
  headers: Record<string, string>
  body?: Buffer
}

/** Requests that are right in form and cost more than they should. */
export const requestAttacks: readonly Attack[] = [
  {
    name: 'gzip bombs',
    what: '50 a second: 100 MB of zeros in 102 KB',
    outcomes: ['415', '429', 'closed'],
    proof: ['415'],
    begin: (target, strength) => {
      const body = gzipSync(Buffer.alloc(100 * 1_048_576), { level: 9 })
      return shoot(target, strength, 50, () => ({
        ...post(target, body),
        headers: { ...post(target, body).headers, 'content-encoding': 'gzip' },
      }))
    },
  },
  {
    name: 'depth and key bombs',
    what: '50 a second, in turn: a million brackets; an object of 90,000 keys',
    outcomes: ['400', '429', 'closed'],
    proof: ['400'],
    begin: (target, strength) => {
      const bodies = [Buffer.from('['.repeat(1_000_000)), manyKeys(target.agentId, 90_000)]
      return shoot(target, strength, 50, (n) => post(target, bodies[n % 2] as Buffer))
    },
  },
  {
    name: 'bodies of 1 MiB',
    what: '20 a second, valid to the last byte, eight at a time',
    outcomes: ['200', '202', '429', '503', 'closed'],
    proof: ['200', '202'],
    begin: (target, strength) => {
      const body = largestBody(target.agentId)
      return shoot(target, strength, 20, () => post(target, body))
    },
  },
  {
    name: 'bodies of 1 MiB without a key',
    what: '100 a second, eight at a time',
    outcomes: ['401', '429', 'closed'],
    proof: ['401', '429'],
    begin: (target, strength) => {
      const body = largestBody(target.agentId)
      return shoot(target, strength, 100, () => post({ ...target, key: 'none' }, body))
    },
  },
  {
    name: 'long addresses and headers',
    what: '50 a second, in turn: a URL of 64 KB; a header of 64 KB; a cookie of 64 KB; each ends its connection',
    outcomes: ['414', '431', 'closed'],
    proof: ['414', '431'],
    begin: (target, strength) => {
      const long = 'x'.repeat(65_536)
      const shots: Shot[] = [
        { method: 'GET', path: `/v2/agents?q=${long}`, headers: {} },
        { method: 'GET', path: '/v2/agents', headers: { 'x-long': long } },
        { method: 'GET', path: '/v2/agents', headers: { cookie: `a=${long}` } },
      ]
      return shoot(target, strength, 50, (n) => shots[n % shots.length] as Shot)
    },
  },
  {
    name: 'keys that do not exist',
    what: '500 a second, each with a true checksum',
    outcomes: ['401', '429'],
    proof: ['401', '429'],
    begin: (target, strength) => {
      const keys = keyVariants([], seededRandom('strangers'))
      return shoot(target, strength, 500, () => ({
        method: 'GET',
        path: '/v2/agents',
        headers: { authorization: `Bearer ${keys.neverIssued()}` },
      }))
    },
  },
  {
    name: 'large cookies',
    what: '500 a second: 3,000 cookies in 15 KB, the session among them',
    outcomes: ['401', '429'],
    proof: ['401', '429'],
    begin: (target, strength) => {
      const cookie = `${'a=b; '.repeat(3_000)}__Host-ars_session=none`
      return shoot(target, strength, 500, () => ({ method: 'GET', path: '/v2/agents', headers: { cookie } }))
    },
  },
]

const maxConcurrent = 8

const post = ({ key }: Target, body: Buffer): Shot => {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    prefer: 'respond-async',
  }
  return { method: 'POST', path: '/v2/runs', headers, body }
}

const manyKeys = (agentId: string, keys: number): Buffer => {
  const input = Array.from({ length: keys }, (_, at) => `"k${at}":1`).join(',')
  return Buffer.from(`{"agent_id":"${agentId}","input":{${input}}}`)
}

const largestBody = (agentId: string): Buffer => {
  const head = `{"agent_id":"${agentId}","input":{"query":"`
  const tail = '"}}'
  return Buffer.from(head + 'x'.repeat(limits.bodyBytes - head.length - tail.length) + tail)
}

/** At a fixed rate. A call is skipped when it would have to wait for those in flight. */
const shoot = async (
  target: Target,
  { scale }: Strength,
  perSecond: number,
  make: (n: number) => Shot,
): Promise<Assault> => {
  const tally: Tally = {}
  const agent = new Agent({ keepAlive: true, maxSockets: maxConcurrent, ca: target.ca, servername: 'localhost' })
  const pace = perSecond * Math.max(scale, 0.2)
  const begun = performance.now()
  let [sent, underWay] = [0, 0]
  const timer = setInterval(() => {
    for (const due = ((performance.now() - begun) / 1_000) * pace; sent < due; sent++) {
      if (underWay >= maxConcurrent) continue
      underWay++
      void send(target, agent, make(sent)).then((outcome) => {
        underWay--
        count(tally, outcome)
      })
    }
  }, 10)
  return {
    stop: async () => {
      clearInterval(timer)
      agent.destroy()
      return tally
    },
  }
}

const send = ({ port }: Target, agent: Agent, { body, ...shot }: Shot): Promise<string> =>
  new Promise((resolve) => {
    const options: RequestOptions = { ...shot, host: '127.0.0.1', port, agent }
    const outgoing = request(options, (response) => {
      response.on('error', () => undefined)
      response.resume()
      resolve(String(response.statusCode))
    })
    // A client that is refused while it still sends may see a reset before the answer.
    outgoing.on('error', () => resolve('closed'))
    outgoing.end(body)
  })
