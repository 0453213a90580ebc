import {
  arrivingText,
  enteringText,
  leavingText,
  shownUnjudged,
  storedText,
  storedUnjudged,
} from '@ars/core/guardrails'
import { fromUuid } from '@ars/platform/id'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type App, sharedApp, type Tenant } from './app.ts'
import { endWaiting, type Parties, plantEverywhere, readEverything, startParties } from './text-places/plant.ts'
import { columnsWith, readingOperations, type Watched, watch } from './text-places/scan.ts'

// No other test says it, because some tables belong to no organisation.
const marker = 'quetzalcoatl'
const stages = ['input', 'action_payload', 'tool_call', 'tool_result', 'output']
// A stream of all events has no end, a simulated model is no party, and `apps/server/test/guardrails.test.ts` reads what is held back.
const elsewhere = ['events.watch', 'runs.held', 'model']
let app: App

/** All places where the marker was found after it was planted. */
type Found = {
  planted: string[]
  columns: string[]
  shown: string[]
  sent: string[]
  isLogged: boolean
  left: string[]
}

const guard = async (tenant: Tenant, { call }: Watched, action: string): Promise<void> => {
  // The pattern does not contain what it finds.
  const rule = { id: 'marker', check: 'regex', stages, action, params: { pattern: 'quetzal[c]oatl' } }
  const policy = await call('POST', '/policies', { name: 'Marker', rules: [rule] })
  expect(policy.status, policy.text).toBe(201)
  await call('POST', `/policies/${policy.body.id}/attachments`, { subject_id: fromUuid('org', tenant.org) })
}

const plant = async (action: string | null): Promise<Found> => {
  const tenant = await app.addTenant()
  const parties: Parties = await startParties(marker)
  const watched = watch(app, tenant, marker)
  if (action !== null) await guard(tenant, watched, action)
  const ids = await plantEverywhere(tenant, watched, { marker, parties })
  await readEverything(watched, ids, readingOperations)
  const found = {
    planted: [...watched.planted].toSorted(),
    columns: await columnsWith(app, tenant, marker),
    sent: parties.sent(),
    isLogged: app.logLines.some((line) => line.includes(marker)),
  }
  await endWaiting(watched, ids)
  const left = await columnsWith(app, tenant, marker)
  await parties.close()
  return { ...found, left, shown: [...watched.shown].toSorted() }
}

beforeAll(async () => {
  app = await sharedApp()
})
afterAll(() => app.stop())

describe('a marker that is said everywhere', () => {
  let open: Found
  let guarded: Found
  beforeAll(async () => {
    open = await plant(null)
    guarded = await plant('redact')
  }, 300_000)

  test('is in every field of a request that policies judge, and in everything that others say', () => {
    const lines = [...(enteringText.input ?? []), ...(enteringText.action_payload ?? [])]
    const fields = lines.flatMap((line) => {
      const [operation, ...names] = line.split(' ')
      return names.map((name) => `${operation} ${name}`)
    })
    expect(open.planted).toEqual([...fields, ...Object.keys(arrivingText)].toSorted())
  })

  test('is stored and shown without policies in the places of the table, and in no other', () => {
    expect(open.columns).toEqual(storedText.toSorted())
    expect([...open.shown, ...open.sent, ...elsewhere].toSorted()).toEqual(leavingText.toSorted())
    expect(open.isLogged).toBe(false)
  })

  test('is stored, shown and sent nowhere if a policy hides it, but for what a receiver has answered', () => {
    const { planted, ...found } = guarded
    expect(planted).toEqual(open.planted)
    expect(found).toEqual({
      columns: storedUnjudged,
      shown: shownUnjudged,
      sent: [],
      left: ['delivery_attempts.response_body'],
      isLogged: false,
    })
  })
})
