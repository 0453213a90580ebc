import { systemClock } from '@ars/platform/clock'
import { openDatabase } from '@ars/platform/db/database'
import { DatabaseUnavailable } from '@ars/platform/db/unavailable'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { openPubSub, type PubSub } from '@ars/platform/redis/pub-sub'
import { testRequest } from '@ars/testkit/caller'
import { testRedisUrl } from '@ars/testkit/stack'
import { expect, test } from 'vitest'
import { unguarded } from '../../../test/test-guard.ts'
import { testAgents } from '../../agents/agents.fixture.ts'
import type { Ctx } from '../../ctx.ts'
import { testSchemas } from '../../schemas/schemas.fixture.ts'
import { createFeed, type Feed } from '../feed/feed.service.ts'
import { unattended } from '../queue/admission.fixture.ts'
import { createRunCreation } from './create-run.service.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)

const ctx: Ctx = {
  ...testRequest('01890a5d-ac96-774b-bcce-b302099a8057'),
  prefer: { waitMs: 5_000, applied: undefined },
}

test('a run that could not be accepted leaves no subscription', async () => {
  const pubSub = await openPubSub({ url: testRedisUrl(), log })
  const open = new Set<string>()
  const counted: PubSub = {
    ...pubSub,
    subscribe: (channel, listen) => {
      open.add(channel)
      return pubSub.subscribe(channel, listen)
    },
    unsubscribe: (channel) => {
      open.delete(channel)
      pubSub.unsubscribe(channel)
    },
  }
  // This port has no listener: the database is unavailable.
  const away = openDatabase({
    url: 'postgres://ars@127.0.0.1:1/none',
    name: 'away',
    size: 1,
    log,
    acquireTimeoutMs: 30_000,
  })
  const feed = createFeed({ feedReads: away, pubSub: counted, log })
  const runs = createRunCreation({
    app: away,
    agents: testAgents({ app: away, newId }),
    schemas: testSchemas(),
    ...unguarded(away),
    feed,
    admission: unattended,
    newId,
    clock: systemClock,
    relayAfterMs: 0,
    cellSlots: 10,
  })
  try {
    await expect(runs.create(ctx, { agent_id: newId('ag'), input: {} })).rejects.toThrow(DatabaseUnavailable)
    await expect.poll(() => open.size).toBe(0)
  } finally {
    feed.close()
    pubSub.close()
    await away.close()
  }
})

test('a refusal does not wait for a subscription that never becomes active', async () => {
  const away = openDatabase({
    url: 'postgres://ars@127.0.0.1:1/none',
    name: 'away',
    size: 1,
    log,
    acquireTimeoutMs: 30_000,
  })
  const hung = { follow: () => new Promise<never>(() => undefined) }
  const runs = createRunCreation({
    app: away,
    agents: testAgents({ app: away, newId }),
    schemas: testSchemas(),
    ...unguarded(away),
    feed: hung as unknown as Feed,
    admission: unattended,
    newId,
    clock: systemClock,
    relayAfterMs: 0,
    cellSlots: 10,
  })
  try {
    await expect(runs.create(ctx, { agent_id: newId('ag'), input: {} })).rejects.toThrow(DatabaseUnavailable)
  } finally {
    await away.close()
  }
})
