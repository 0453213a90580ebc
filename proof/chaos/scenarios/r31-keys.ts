import { setTimeout as sleep } from 'node:timers/promises'
import { toUuid } from '@ars/platform/id'
import { moveDatabaseClock } from '@ars/testkit/clock'
import type { ApiCall } from '../../lab/client/api-caller.ts'
import { countsOf, playOpenLoop, type Shot, statusOf } from '../../lab/client/open-loop.ts'
import { waitFor } from '../../lab/condition.ts'
import { shootOnce } from '../journaled-shot.ts'
import { type RunClient, runClient } from '../run-client.ts'
import { type Claim, claim, measured, type Stage, scenario } from '../scenario.ts'

type Size = {
  perSecond: number
  /** Before the key is revoked, and afterwards. */
  beforeSeconds: number
  afterSeconds: number
}

type Key = {
  id: string
  key: string
}

type Revoked = {
  name: string
  keyId: string
  shots: (Shot & { gateway: number })[]
  /** When it was asked to be revoked, and when the answer to that had come. */
  askedMs: number
  atMs: number
}

const maxEverywhereMs = 5000
const graceMs = 24 * 3_600_000
/** A gateway believes what it read of a key for a few seconds; after so long it asks again. */
const forgottenMs = 4500

/** A key is rotated and a day goes by; others are revoked while they are used. */
export const keys = scenario<Size>({
  name: 'R31',
  promise:
    'A rotated key works for 24 hours and not a second longer; a revoked one stops everywhere within 5 s, also without Redis.',
  sizes: {
    ci: { perSecond: 60, beforeSeconds: 2, afterSeconds: 6 },
    full: { perSecond: 100, beforeSeconds: 10, afterSeconds: 20 },
  },
  play: async (stage, size) => {
    const { fleet } = stage
    const owner = await fleet.addOrganisation('r31', { concurrentRuns: 10 })
    const resume = await fleet.neighbour.pause()
    const ownerUrl = fleet.stack.postgres.url('ars_owner')
    let offsetMs = 0
    try {
      const old = await createKey(owner.client, stage.key('old'))
      const young = await rotate(owner.client, old, stage.key('rotate'))
      const rotatedAtMs = performance.now()
      const fresh = await probe(stage, old)
      const revoked = [await revokeUnderLoad(stage, owner.client, 'with Redis', size)]
      const bringBack = await fleet.supervision.takeDown('redis', 'kill')
      try {
        revoked.push(await revokeUnderLoad(stage, owner.client, 'without Redis', size))
      } finally {
        await bringBack()
      }
      await sleep(Math.max(0, rotatedAtMs + forgottenMs - performance.now()))
      const begun = performance.now()
      await probe(stage, young)
      const roundMs = performance.now() - begun
      offsetMs = await moveDatabaseClock(ownerUrl, Math.round((await graceLeftMs(stage, old)) - 1000 - 2 * roundMs))
      const before = await probe(stage, old)
      const leftMs = await graceLeftMs(stage, old)
      await sleep(Math.max(0, leftMs + 1000))
      const pastMs = -(await graceLeftMs(stage, old))
      const after = await probe(stage, old)
      const successor = await probe(stage, young)
      return {
        metrics: [
          ['seconds of the 24 hours that were left at the last good answer', (leftMs / 1000).toFixed(2)],
          ['seconds that they were over at the refusals', (pastMs / 1000).toFixed(2)],
          ...revoked.flatMap(({ name, shots, atMs }) => [
            [`calls with the revoked key, ${name}`, countsOf(shots)] as const,
            [`ms until it was refused at each gateway, ${name}`, lastGoodMs(shots, atMs).join(', ')] as const,
          ]),
        ],
        claims: [
          same('directly after its rotation the old key is answered, with Deprecation and Sunset', fresh, isRetiring),
          measured(
            'the last good answer came before the 24 hours were over',
            leftMs > 0 && leftMs < graceMs / 1000,
            `${leftMs} ms`,
          ),
          {
            ...same(
              'a second before the 24 hours are over the old key is answered',
              before,
              ({ status }) => status === 200,
            ),
            isMeasured: true,
          },
          same('a second after them it is refused', after, ({ status }) => status === 401),
          same('the new key is answered', successor, ({ status }) => status === 200),
          ...revoked.flatMap(judgeRevoked),
          await judgeAudit(stage, owner.id, { rotated: old.id, revoked: revoked.map(({ keyId }) => keyId) }),
        ],
      }
    } finally {
      if (offsetMs !== 0) await moveDatabaseClock(ownerUrl, -offsetMs)
      resume()
    }
  },
})

type Probe = { gateway: number; status: number; headers: Readonly<Record<string, unknown>> }

const same = (says: string, probes: readonly Probe[], isRight: (probe: Probe) => boolean): Claim => ({
  says,
  violations: probes.filter((each) => !isRight(each)).map(({ gateway, status }) => `gateway ${gateway + 1}: ${status}`),
})

const isRetiring = ({ status, headers }: Probe): boolean =>
  status === 200 && headers.deprecation !== undefined && headers.sunset !== undefined

/** Both gateways, at the same moment. */
const probe = ({ fleet }: Stage, { key }: Key): Promise<Probe[]> =>
  Promise.all(
    fleet.gateways.map(async (_, gateway) => {
      const answer = await fleet.client.gateways[gateway]?.call(cheapCall(key)).catch(() => null)
      return { gateway, status: answer?.status ?? 0, headers: answer?.headers ?? {} }
    }),
  )

/** The cheapest answer that a key can get: this scenario judges keys, and a slow list would be shed with 503. */
const cheapCall = (key: string): ApiCall => ({
  method: 'GET',
  path: '/v2/organisation',
  headers: { authorization: `Bearer ${key}` },
})

export const createKey = async (client: RunClient, name: string, scopes = ['runs:read']): Promise<Key> => {
  const body = { name, scopes }
  return insistOnKey(client, name, { method: 'POST', path: '/v2/api-keys', headers: { ...client.authorization }, body })
}

const rotate = (client: RunClient, { id }: Key, name: string): Promise<Key> => {
  const headers = { ...client.authorization }
  return insistOnKey(client, name, { method: 'POST', path: `/v2/api-keys/${id}/rotate`, headers, body: {} })
}

const insistOnKey = async (client: RunClient, key: string, call: ApiCall): Promise<Key> => {
  // In the journal it is a listing: an answer without a run.
  const { text } = await client.insist({ what: 'list', key, call })
  return JSON.parse(text) as Key
}

const revokeUnderLoad = async (stage: Stage, owner: RunClient, name: string, size: Size): Promise<Revoked> => {
  const { fleet, random, hopeless } = stage
  const made = await createKey(owner, stage.key(`revoked ${name}`))
  const user = runClient({
    org: owner.org,
    gateways: fleet.client.gateways,
    apiKey: made.key,
    journal: fleet.journal,
    random: random.fork(name),
    patienceMs: 10_000,
    hopeless,
  })
  // An address that was refused a moment ago may have to wait with a key that is not cached yet.
  for (const gateway of [0, 1]) {
    const attempt = {
      what: 'list',
      key: stage.key(`${name} first`),
      call: cheapCall(made.key),
      expects: [200, 429],
    } as const
    await waitFor('the key to be known', async () => (await user.attempt(gateway, attempt))?.status === 200, {
      timeoutMs: 60_000,
      everyMs: 500,
    })
  }
  const loading = playOpenLoop(
    { perSecond: size.perSecond, seconds: size.beforeSeconds + size.afterSeconds, hopeless },
    async (n) => {
      const gateway = n % 2
      const attempt = {
        what: 'list',
        key: stage.key(`${name} ${n}`),
        call: cheapCall(made.key),
        expects: [200, 401, 429],
      } as const
      return { ...(await shootOnce(user, gateway, attempt)), gateway }
    },
  )
  await sleep(size.beforeSeconds * 1000)
  const askedMs = performance.now()
  const path = `/v2/api-keys/${made.id}`
  const call: ApiCall = { method: 'DELETE', path, headers: { ...owner.authorization } }
  await owner.insist({ what: 'list', key: stage.key(`revoke ${name}`), call }, { first: 0 })
  return { name, keyId: made.id, askedMs, atMs: performance.now(), shots: await loading }
}

/** A client that keeps using a refused key is soon throttled. */
const refusals = [401, 429]

const judgeRevoked = ({ name, shots, askedMs, atMs }: Revoked): Claim[] => {
  const before = shots.filter((shot) => shot.atMs + shot.lateMs + shot.tookMs < askedMs)
  const late = shots.filter((shot) => shot.atMs >= atMs + maxEverywhereMs)
  return [
    measured(
      `${name}: the key is answered until it is revoked`,
      before.length > 0 && before.every((shot) => statusOf(shot) === 200),
      countsOf(before),
    ),
    measured(
      `${name}: ${maxEverywhereMs / 1000} s later it is refused at both gateways`,
      late.some((shot) => statusOf(shot) === 401) && late.every((shot) => refusals.includes(statusOf(shot))),
      countsOf(late),
    ),
    // A gateway with too little processor time sheds calls with 503, whichever key they carry.
    measured(
      `${name}: no call is shed`,
      shots.every((shot) => statusOf(shot) !== 503),
      countsOf(shots),
    ),
    {
      says: `${name}: no other answers`,
      violations: shots
        .filter((shot) => ![200, 503, ...refusals].includes(statusOf(shot)))
        .map((shot) => `${statusOf(shot)} ${shot.answer?.text.slice(0, 200) ?? ''}`),
    },
  ]
}

const lastGoodMs = (shots: Revoked['shots'], atMs: number): number[] =>
  [0, 1].map((gateway) => {
    const good = shots.filter((shot) => shot.gateway === gateway && statusOf(shot) === 200)
    return Math.round(Math.max(0, ...good.map((shot) => shot.atMs + shot.lateMs - atMs)))
  })

const graceLeftMs = async ({ fleet }: Stage, { id }: Key): Promise<number> => {
  const [row] = await fleet.records.query<{ ms: number }>(
    'select extract(epoch from grace_until - app_now())::float8 * 1000 as ms from api_keys where id = $1',
    [toUuid(id)],
  )
  return row?.ms ?? Number.NaN
}

const judgeAudit = async (
  { fleet }: Stage,
  org: string,
  { rotated, revoked }: { rotated: string; revoked: readonly string[] },
): Promise<Claim> => {
  const rows = await fleet.records.query<{ action: string; subject: string }>(
    `select action, subject from audit_log where org_id = $1 and action in ('api_key.rotated', 'api_key.revoked')`,
    [org],
  )
  const found = rows.map(({ action, subject }) => `${action} ${subject}`).toSorted()
  const wanted = [`api_key.rotated ${rotated}`, ...revoked.map((id) => `api_key.revoked ${id}`)].toSorted()
  return claim('the audit log has one row for each of these acts', found.join() === wanted.join(), found.join(', '))
}
