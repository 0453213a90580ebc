import {
  arrivingText,
  enteringHeaders,
  leavingConfiguration,
  leavingText,
  leavingUnjudged,
  shownSecrets,
  storedConfiguration,
  storedText,
  storedUnjudged,
} from '@ars/core/guardrails'
import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Tenant } from './app.ts'
import { endWaiting, type PlantedIds, plantEverywhere, readEverything } from './text-places/plant.ts'
import { columnsWith, readingOperations, type Watched, watch } from './text-places/scan.ts'
import { setUpEverything } from './text-places/set-up.ts'
import { type Found, fieldsIn, find, startWorld, type World, words } from './text-places/world.ts'

const stages = ['input', 'action_payload', 'tool_call', 'tool_result', 'output']
// A stream of all events has no end, and `apps/server/test/guardrails.test.ts` reads what is held back.
const elsewhere = ['events.watch', 'runs.held']
let world: World

/** A remote check sees all texts; with an action, a rule does that to the marker. */
const guard = async (tenant: Tenant, { call }: Watched, action: string | null): Promise<void> => {
  const remote = { id: 'remote', check: 'http', stages, action: 'flag', params: { url: world.parties.check } }
  // The pattern does not contain what it finds.
  const rule = { id: 'marker', check: 'regex', stages, action, params: { pattern: 'quetzal[c]oatl' } }
  const policy = await call('POST', '/policies', { name: 'Marker', rules: action === null ? [remote] : [remote, rule] })
  expect(policy.status, policy.text).toBe(201)
  await call('POST', `/policies/${policy.body.id}/attachments`, { subject_id: fromUuid('org', tenant.org) })
}

const joined = (some: PlantedIds, others: PlantedIds): PlantedIds => {
  const names = [...new Set([...Object.keys(some), ...Object.keys(others)])]
  return Object.fromEntries(names.map((name) => [name, [...(some[name] ?? []), ...(others[name] ?? [])]]))
}

/** What runs are told is hidden by a policy. */
const plantGuarded = async (): Promise<Found & { left: string[] }> => {
  const tenant = await world.app.addTenant()
  const told = watch(world.app, tenant, words.told)
  await guard(tenant, told, 'redact')
  const ids = await plantEverywhere(tenant, told, { marker: words.told, parties: world.parties })
  await readEverything(told, ids, readingOperations)
  const found = await find(world, tenant, told)
  await endWaiting(told, ids)
  const left = await columnsWith(world.app, tenant, words.told)
  return { ...found, shown: [...told.shown].toSorted(), left }
}

/** One organisation says all words. */
const plantOpen = async (): Promise<{ told: Found; set: Found; kept: Found }> => {
  const tenant = await world.app.addTenant()
  const besides: (Watched & { word: string })[] = []
  const secretly = watch(world.app, tenant, words.secret, besides)
  const setUp = watch(world.app, tenant, words.setUp, [secretly])
  besides.push(setUp)
  const told = watch(world.app, tenant, words.told, [setUp, secretly])
  const things = await setUpEverything(tenant, { ...world, setUp, secretly })
  await guard(tenant, told, null)
  const ids = await plantEverywhere(tenant, told, { marker: words.told, parties: world.parties })
  await readEverything(told, joined(ids, things), readingOperations)
  const found = [await find(world, tenant, told), await find(world, tenant, setUp), await find(world, tenant, secretly)]
  await endWaiting(told, ids)
  const [first, second, third] = [told, setUp, secretly].map(({ shown }, at) => ({
    ...(found[at] as Found),
    shown: [...shown].toSorted(),
  })) as [Found, Found, Found]
  return { told: first, set: second, kept: third }
}

let guarded: Awaited<ReturnType<typeof plantGuarded>>
let open: Awaited<ReturnType<typeof plantOpen>>
beforeAll(async () => {
  world = await startWorld()
  // First, because nothing was sent to the parties yet.
  guarded = await plantGuarded()
  open = await plantOpen()
}, 600_000)
afterAll(() => world?.close())

describe('a marker that runs are told', () => {
  test('is in every field of a request that policies judge, and in everything that others say', () => {
    const said = Object.keys(arrivingText).filter((text) => arrivingText[text] !== 'approved')
    expect(open.told.planted).toEqual([...fieldsIn(['input', 'action_payload']), ...said].toSorted())
  })

  test('is stored and shown without policies in the places of the table, and in no other', () => {
    expect(open.told.columns).toEqual(storedText.toSorted())
    expect([...open.told.shown, ...open.told.sent, ...elsewhere].toSorted()).toEqual(leavingText.toSorted())
    expect(open.told.isLogged).toBe(false)
  })

  test('is stored, shown and sent nowhere if a policy hides it, but for what a receiver has answered and a check judges', () => {
    const { planted, ...found } = guarded
    expect(planted).toEqual(open.told.planted)
    expect({ ...found, shown: [...found.shown, ...found.sent].toSorted() }).toEqual({
      columns: storedUnjudged,
      shown: leavingUnjudged,
      sent: ['check'],
      left: storedUnjudged.filter((column) => column !== 'batch_items.input'),
      isLogged: false,
    })
  })
})

describe('a word that an organisation sets up, and one that it keeps secret', () => {
  test('are in every field and header of a request that no policy judges', () => {
    const headers = Object.values(enteringHeaders).flat()
    const fields = fieldsIn(['configuration', 'filter', 'credential'])
    const said = Object.keys(arrivingText).filter((text) => arrivingText[text] === 'approved')
    const planted = [...new Set([...open.set.planted, ...open.kept.planted])]
    expect(planted.toSorted()).toEqual([...fields, ...headers, ...said].toSorted())
  })

  test('the configuration is stored, shown and sent in the places of the table, and in no other', () => {
    expect(open.set.columns).toEqual(storedConfiguration.toSorted())
    // The stream of a pipeline run that waits has no end.
    expect([...open.set.shown, ...open.set.sent, 'pipelineRuns.watch'].toSorted()).toEqual(
      leavingConfiguration.toSorted(),
    )
    expect(open.set.isLogged).toBe(false)
  })

  test('a secret and a filter are stored, logged and sent nowhere, and shown to the caller who chose the secret', () => {
    expect({ ...open.kept, planted: [] }).toEqual({
      planted: [],
      columns: [],
      shown: shownSecrets,
      sent: [],
      isLogged: false,
    })
  })
})

test('a column that the table lacks is found, of any type and in any table', async () => {
  const tenant = await world.app.addTenant()
  await world.app.query('create table planted (org_id uuid, note text, facts json, tags character varying(40)[])')
  await world.app.query('insert into planted values ($1, $2, $3, $4)', [
    tenant.org,
    `a ${words.told}`,
    JSON.stringify({ [words.told]: 1 }),
    [words.told],
  ])
  expect(await columnsWith(world.app, tenant, words.told)).toEqual(['planted.facts', 'planted.note', 'planted.tags'])
  await world.app.query('drop table planted')
})
