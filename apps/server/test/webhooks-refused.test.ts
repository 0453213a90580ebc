import { subscribable } from '@ars/contract'
import { hostileHosts, hostileUrls } from '@ars/platform/egress/test/hostile-urls'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type App, type Reply, sharedGateway, until } from './app.ts'

const url = 'https://8.8.8.8/hooks'
const hook = { url, events: ['run.completed'] }

let app: App
let known: string
beforeAll(async () => {
  app = await sharedGateway({
    ARS_EGRESS_ALLOW_RANGES: '',
    ARS_EGRESS_ALLOW_PORTS: '',
    ARS_EGRESS_ALLOW_PLAIN_HTTP: 'false',
  })
  known = (await create(hook)).body.id
})
afterAll(() => app.stop())

// A busy machine may answer 503 or 429, which is not under test here.
const call = (method: string, path: string, body: unknown): Promise<Reply> =>
  until('an answer other than 503', async () => {
    const reply = await app.call(method, `/v2${path}`, { body })
    return ![429, 503].includes(reply.status) && reply
  })
const create = (body: unknown): Promise<Reply> => call('POST', '/webhooks', body)
const refusalOf = ({ status, body }: Reply) => [status, body.error?.code, body.error?.param]
const count = async () => (await app.query('select from webhooks where org_id = $1', [app.tenant.org])).length

// B2, rows 56 to 60.
const addresses = [...hostileHosts.map((host) => `https://${host}/`), ...hostileUrls]

test.each(addresses.map((address) => ({ address })))(
  '$address can be neither registered nor set by an update',
  async ({ address }) => {
    const before = await count()
    // An empty or overlong address is malformed; every other one is valid and refused.
    const isMalformed = address === '' || address.length > 2048
    for (const reply of [
      await create({ ...hook, url: address }),
      await call('PATCH', `/webhooks/${known}`, { url: address }),
    ]) {
      expect(reply.status, reply.text).toBe(isMalformed ? 400 : 422)
      // A zero byte cannot be stored in any field, so it is refused before the address is checked.
      if (!isMalformed && !address.includes('\0')) expect(refusalOf(reply)).toEqual([422, 'url_not_allowed', 'url'])
      expect(reply.body.error.message).not.toBe('')
    }
    expect(await count()).toBe(before)
  },
)

test('[S43] an address must begin with https://', async () => {
  const { body } = await create({ ...hook, url: 'http://hooks.example.com/' })
  expect(body.error).toMatchObject({ code: 'url_not_allowed', message: 'The address must begin with https://.' })
})

test('a name that cannot be resolved is refused at once', async () => {
  expect(refusalOf(await create({ ...hook, url: 'https://nowhere.invalid/' }))).toEqual([422, 'url_not_allowed', 'url'])
})

// B2, row 62.
test('the service’s own address is refused, and two webhooks may have the same address', async () => {
  for (const own of [app.url, `${app.url}/v2/runs`, `https://LOCALHOST:${app.port}/x`]) {
    const refused = await create({ ...hook, url: own })
    expect(refusalOf(refused)).toEqual([422, 'url_not_allowed', 'url'])
    expect(refused.body.error.message).toContain('the service itself')
  }
  const [one, two] = [await create(hook), await create(hook)]
  expect([one.status, two.status]).toEqual([201, 201])
  expect(one.body.id).not.toBe(two.body.id)
})

// B2, row 63.
test.each([
  ['missing', undefined, [400, 'invalid_request', 'events']],
  ['no list', 'run.completed', [400, 'invalid_request', 'events']],
  ['a list of numbers', [1], [400, 'invalid_request', 'events.0']],
  ['empty', [], [400, 'invalid_request', 'events']],
  ['unknown', ['run.completed', 'run.exploded'], [422, 'event_unknown', 'events.1']],
  ['of another case', ['Run.Completed'], [422, 'event_unknown', 'events.0']],
  ['a name of the language', ['constructor'], [422, 'event_unknown', 'events.0']],
  ['1,000 of them', Array.from({ length: 1000 }, () => 'run.completed'), [400, 'invalid_request', 'events']],
  ['a test', ['test'], [422, 'event_unknown', 'events.0']],
] as const)('[S43] events that are %s are refused', async (_, events, refusal) => {
  expect(refusalOf(await create({ url, events }))).toEqual(refusal)
})

test.each([
  ['named twice', ['run.failed', 'run.completed', 'run.failed'], ['run.failed', 'run.completed']],
  ['all of them', ['*'], ['*']],
  ['all of them and one by name', ['*', 'run.failed'], ['*', 'run.failed']],
  ['not built yet', ['alert.triggered', 'pipeline.completed'], ['alert.triggered', 'pipeline.completed']],
  ['only for those who name them', ['run.cancelled', 'webhook.disabled'], ['run.cancelled', 'webhook.disabled']],
])('[S43] events that are %s are accepted', async (_, events, kept) => {
  expect(await create({ url, events })).toMatchObject({ status: 201, body: { events: kept } })
})

test('no event of a webhook is planned only', async () => {
  const { body } = await create({ url, events: [...subscribable] })
  expect(body.planned_events).toEqual([])
})

// B2, row 64.
test.each([
  ['nothing but the prefix', 'whsec_', [422, 'secret_invalid', 'secret']],
  ['three characters', 'abc', [422, 'secret_invalid', 'secret']],
  ['too short', 'whsec_12345678901234567', [422, 'secret_invalid', 'secret']],
  ['10 KB', `whsec_${'a'.repeat(10_234)}`, [422, 'secret_invalid', 'secret']],
  ['without the prefix', 'a'.repeat(32), [422, 'secret_invalid', 'secret']],
  ['with a line break', `whsec_${'a'.repeat(32)}\n`, [422, 'secret_invalid', 'secret']],
  ['with a space', `whsec_${'a'.repeat(16)} ${'a'.repeat(16)}`, [422, 'secret_invalid', 'secret']],
  ['with a letter beyond ASCII', `whsec_${'é'.repeat(32)}`, [422, 'secret_invalid', 'secret']],
  ['a number', 7, [400, 'invalid_request', 'secret']],
] as const)('[S43] a secret that is %s is refused, and not repeated', async (_, secret, refusal) => {
  const reply = await create({ ...hook, secret })
  expect(refusalOf(reply)).toEqual(refusal)
  if (typeof secret === 'string' && secret !== 'whsec_') expect(reply.text).not.toContain(secret.trim())
})

test.each([
  ['the address is missing', { events: ['*'] }, 'url'],
  ['the address is a number', { url: 7, events: ['*'] }, 'url'],
  ['active is a word', { ...hook, active: 'yes' }, 'active'],
  ['a field is unknown', { ...hook, retries: 5 }, 'retries'],
])('[S43] %s: 400', async (_, body, param) => {
  expect(refusalOf(await create(body))).toEqual([400, 'invalid_request', param])
})
