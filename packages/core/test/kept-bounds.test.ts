import { limits } from '@ars/contract'
import { systemClock } from '@ars/platform/clock'
import { EnvelopeError } from '@ars/platform/envelope'
import { createIdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { fakeClock } from '@ars/testkit/clock'
import { expect, test } from 'vitest'
import { requireReadable } from '../src/agents/agent-check.service.ts'
import { agentsBounds } from '../src/agents/bounds.ts'
import { auditBounds } from '../src/audit/bounds.ts'
import { createRefusalNotes } from '../src/audit/refusal-note.service.ts'
import { eventsBounds } from '../src/events/bounds.ts'
import { createEventFeed } from '../src/events/event-feed.service.ts'
import { Fault } from '../src/fault.ts'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { compose } from '../src/guardrails/check/compose.ts'
import { findEmails } from '../src/guardrails/check/email-address.ts'
import { placeBefore } from '../src/guardrails/check/held-back.ts'
import { findIbans } from '../src/guardrails/check/iban.ts'
import { createPatternCheck } from '../src/guardrails/check/pattern-check.ts'
import { createPhoneFinder } from '../src/guardrails/check/phone-number.ts'
import { requireWeight } from '../src/guardrails/policy/policy-set.ts'
import { createBreakers } from '../src/guardrails/remote/breaker.service.ts'
import { modelsBounds } from '../src/models/bounds.ts'
import { decideRetry, quickRetryLimits } from '../src/models/retry.ts'
import { peopleBounds } from '../src/people/bounds.ts'
import { createSessionLookup } from '../src/people/session-lookup.service.ts'
import { createInputCheck } from '../src/runs/accept/input-check.service.ts'
import { runsBounds } from '../src/runs/bounds.ts'
import { isLost } from '../src/runs/dispatch/lost.ts'
import { upPartitionsOf } from '../src/runs/dispatch/reconcile.ts'
import { schemasBounds } from '../src/schemas/bounds.ts'
import { findPlain } from '../src/schemas/plain-schema.ts'
import { createSchemas } from '../src/schemas/schema.service.ts'
import { createValidator } from '../src/schemas/validator.ts'
import { secretsBounds } from '../src/secrets/bounds.ts'
import { createDataKeyCache } from '../src/secrets/data-key-cache.service.ts'
import { rotateDataKeys } from '../src/secrets/data-key-rotation.service.ts'
import { rewrapKeys } from '../src/secrets/rewrap.service.ts'
import { scriptedDatabase } from './scripted-database.ts'

const log = createLog({ level: 'silent' })
const newId = createIdMaker(systemClock)
const nothing = {} as never
const uuid = '01890a5d-ac96-774b-bcce-b302099a8057'

const faultOf = (work: () => unknown): Fault => {
  try {
    work()
  } catch (error) {
    if (error instanceof Fault) return error
    throw error
  }
  throw new Error('nothing was refused')
}

test('an address has at most the characters of guardrailsBounds.emailAddress, and of guardrailsBounds.emailLocalPart before the @', () => {
  const { chars: whole } = guardrailsBounds.emailAddress
  const { chars: local } = guardrailsBounds.emailLocalPart
  const lengthOf = (text: string) => [...findEmails(text)].map(({ start, end }) => end - start)
  const short = '@b.example'
  expect(lengthOf(`${'a'.repeat(local)}${short}`)).toEqual([local + short.length])
  expect(lengthOf(`${'a'.repeat(local + 9)}${short}`)).toEqual([local + short.length])
  const labels = (chars: number) => 'x'.repeat(chars).replaceAll(/x{20}/g, `${'x'.repeat(19)}.`)
  const long = (chars: number) => `a@${labels(chars - 'a@'.length - '.example'.length)}x.example`.slice(-chars)
  const addressOf = (chars: number) => `a@${long(chars).slice(2).replace(/^\./, 'x')}`
  expect(lengthOf(` ${addressOf(whole)} `)).toEqual([whole])
  expect(lengthOf(` ${addressOf(whole + 1)} `)).toEqual([])
})

test('after the accounts of guardrailsBounds.ibansChecked the checksum alone decides', () => {
  // Digits where British accounts have the letters of a bank: the checksum is right, and the structure is not.
  const digits = '123412341234123412'
  const rest = Number(BigInt(`${digits}161100`) % 97n)
  const account = `GB${String(98 - rest).padStart(2, '0')}${digits}`
  const found = (count: number) => [...findIbans(Array(count).fill(account).join(' ; '))].length
  const { count } = guardrailsBounds.ibansChecked
  expect([found(count), found(count + 3)]).toEqual([0, 3])
})

test('after the numbers of guardrailsBounds.phoneNumbersParsed the shape alone decides', () => {
  const find = createPhoneFinder(['US'])
  const found = (count: number) => [...find(Array(count).fill('222-222-2222').join(' ; '))].length
  const { count } = guardrailsBounds.phoneNumbersParsed
  expect([found(count), found(count + 3)]).toEqual([0, 3])
})

test('after the matches of guardrailsBounds.longMatches a longer one counts up to the longest length', () => {
  const pattern = {
    test: (text: string) => /a[^ab]*b/.test(text),
    finderIn: (text: string) => (from: number) => {
      const match = new RegExp(/a[^ab]*b/g)
      match.lastIndex = from
      const found = match.exec(text)
      return found && { start: found.index, end: found.index + found[0].length }
    },
  }
  const check = createPatternCheck(pattern, 10, false)
  const found = (count: number) => check.find(`a${'x'.repeat(12)}b`.repeat(count)).map(({ start, end }) => end - start)
  const { count } = guardrailsBounds.longMatches
  expect([found(count), found(count + 2)]).toEqual([[], [10, 10]])
})

test('marks of a letter are ordered up to guardrailsBounds.marksOfLetter, and further ones stay where they are', () => {
  const { count } = guardrailsBounds.marksOfLetter
  const [acute, below] = ['\u0301', '\u0323']
  const read = (marks: number) => compose({ text: `a${acute.repeat(marks - 1)}${below}`, places: null }, 'many').text
  expect(read(count).startsWith('\u1ea1')).toBe(true)
  expect(read(count + 1).startsWith('\u00e1')).toBe(true)
  expect(read(count + 1).endsWith(below)).toBe(true)
})

test('characters that people do not see are left out up to guardrailsBounds.unseenChars', () => {
  const { chars } = guardrailsBounds.unseenChars
  const placeIn = (unseen: number) => {
    const text = `ab${'\u200b'.repeat(unseen)}c`
    return text.length - placeBefore(text, text.length, 2)
  }
  expect(placeIn(chars)).toBe(chars + 2)
  expect(placeIn(2 * chars)).toBe(chars + 2)
  expect(placeIn(5)).toBe(7)
})

test('of more hosts that fail than guardrailsBounds.breakersKnown the oldest is asked again', () => {
  const breakers = createBreakers(fakeClock())
  const fail = (key: string) => {
    for (let n = 0; n < guardrailsBounds.breakerFailures.count; n++) breakers.end(key, 'failed')
  }
  fail('first')
  fail('second')
  for (let n = 2; n < guardrailsBounds.breakersKnown.count; n++) fail(`host ${n}`)
  expect([breakers.begin('first'), breakers.begin('second')]).toEqual([false, false])
  fail('one more')
  expect([breakers.begin('first'), breakers.begin('second')]).toEqual([true, false])
})

test('more policies or bytes of rules in force than limits.policiesInForce and limits.rulesInForceBytes are refused', () => {
  const weight = { policies: limits.policiesInForce, rules: 1, bytes: limits.rulesInForceBytes }
  requireWeight(weight)
  for (const more of [{ policies: weight.policies + 1 }, { bytes: weight.bytes + 1 }])
    expect(faultOf(() => requireWeight({ ...weight, ...more }))).toMatchObject({ code: 'limit_reached' })
})

test('a configuration with more faults than agentsBounds.faultsTold names the first of them', () => {
  const { count } = agentsBounds.faultsTold
  const config = Object.fromEntries(Array.from({ length: 2 * count }, (_, n) => [`field_${n}`, 1]))
  const { code, details } = faultOf(() => requireReadable('llm', { config }))
  expect([code, details?.length, details?.at(-1)?.param]).toEqual([
    'config_invalid',
    count,
    `config.field_${count - 1}`,
  ])
})

test('refusals of more organisations than auditBounds.organisationsNoted are not noted in this minute', async () => {
  const { count } = auditBounds.organisationsNoted
  const clock = fakeClock()
  let noted: string[] = []
  const app = { transaction: async (org: string) => void noted.push(org) }
  const notes = createRefusalNotes({ app: app as never, clock, newId, log })
  const note = async (n: number) => {
    const caller = { org: `org ${n}`, actor: { type: 'key', id: 'key_1' }, address: null, requestId: null }
    notes.note(caller as never, { operation: 'a.b', message: 'm' })
    await notes.close()
  }
  for (let n = 0; n <= count; n++) await note(n)
  expect([noted.length, noted.at(-1)]).toEqual([count, `org ${count - 1}`])
  noted = []
  clock.advance(60_000)
  await note(count)
  expect(noted).toEqual([`org ${count}`])
})

test('input schemas of more agents than runsBounds.inputSchemasKnown are forgotten, the oldest first', async () => {
  let checks = 0
  const inputs = createInputCheck({ schemas: { faultsOf: async () => [void checks++].slice(1) } as never })
  const asked = (n: number) => ({ agentId: `agent ${n}`, bucket: 0, input: {} }) as never
  const release = { status: 'active', version: 1, live_version: 1, canary_version: null, input_schema: {} } as never
  const { count } = runsBounds.inputSchemasKnown
  for (let n = 0; n <= count; n++) await inputs.check('o', asked(n), { release, checked: null })
  expect(await inputs.judge('o', asked(0))).toBeNull()
  expect(await inputs.judge('o', asked(1))).toMatchObject({ version: 1, faults: [] })
  expect(checks).toBe(count + 2)
})

test('no invocation counts as lost when the last answer is older than runsBounds.engineAnswerAge', () => {
  const { ms } = runsBounds.engineAnswerAge
  const refused = { refusedSinceMs: 0, answeredMs: 100_000 }
  expect(isLost({ ...refused, nowMs: 100_000 + ms })).toBe(true)
  expect(isLost({ ...refused, nowMs: 100_001 + ms })).toBe(false)
})

test('a partition is stuck after the rounds of runsBounds.silentRounds, while another one answers', () => {
  const { count } = runsBounds.silentRounds
  const stuck = (rounds: number) => [
    ...upPartitionsOf(
      new Map([
        [1, 0],
        [2, rounds],
      ]),
    ),
  ]
  expect([stuck(count - 1), stuck(count)]).toEqual([[], [2]])
})

test('a schema is plain up to the weight of schemasBounds.plainWeight', () => {
  const schemaOf = (properties: number) => ({
    properties: Object.fromEntries(Array.from({ length: properties }, (_, n) => [`p${n}`, { type: 'string' }])),
  })
  const heaviest = (properties: number) => findPlain(schemaOf(properties) as never)?.weight ?? null
  const { count } = schemasBounds.plainWeight
  const own = (heaviest(1) ?? 0) - ((heaviest(2) ?? 0) - (heaviest(1) ?? 0))
  const each = (heaviest(2) ?? 0) - (heaviest(1) ?? 0)
  const most = Math.floor((count - own) / each)
  expect(heaviest(most)).toBe(own + most * each)
  expect(heaviest(most + 1)).toBeNull()
})

test('of a value with many errors as many are read as schemasBounds.errorsRead says', () => {
  const schema = { type: 'array', items: { type: 'string', pattern: '^a$' } }
  const faults = createValidator().faultsOf(schema as never, Array(1_000).fill('b'))
  expect(faults).toHaveLength(schemasBounds.errorsRead.count)
})

test('of more slow schemas than schemasBounds.slowSchemasKnown the oldest is tried again', async () => {
  let tried = 0
  const threads = {
    run: async () => {
      tried++
      return { kind: 'out_of_time', progress: null } as const
    },
  }
  const { checkSchema } = createSchemas({ threads, clock: fakeClock() })
  const check = (n: number) => checkSchema('o', { title: `schema ${n}`, not: {} } as never)
  const { count } = schemasBounds.slowSchemasKnown
  for (let n = 0; n <= count; n++) expect(await check(n)).toHaveLength(1)
  expect(tried).toBe(count + 1)
  await check(count)
  await check(1)
  expect(tried).toBe(count + 1)
  await check(0)
  expect(tried).toBe(count + 2)
})

const keyring = {
  activeKekId: 'k1',
  unwrap: async () => ({ id: 'key' }),
  rewrap: async (wrapped: Buffer) => ({ wrapped, kekId: 'k1' }),
} as never

test('data keys of more organisations than secretsBounds.dataKeysKept are unwrapped again, the oldest first', async () => {
  const { db, countOf } = scriptedDatabase({ 'org_keys.find': () => [{ wrapped: Buffer.alloc(1), retired: [] }] })
  const cache = createDataKeyCache({ app: db, keyring, clock: fakeClock() })
  const { count } = secretsBounds.dataKeysKept
  for (let n = 0; n <= count; n++) await cache.get(`org ${n}`)
  await cache.get('org 1')
  expect(countOf('org_keys.find')).toBe(count + 1)
  await cache.get('org 0')
  expect(countOf('org_keys.find')).toBe(count + 2)
})

test('data keys are rotated in pages of secretsBounds.organisationsTogether, and the first failures are told (secretsBounds.failuresTold)', async () => {
  const { count: together } = secretsBounds.organisationsTogether
  let left = 2 * together + 1
  const { db, ofName } = scriptedDatabase({
    'org_keys.list_to_rotate': () => {
      const page = Math.min(left, together)
      left -= page
      return Array.from({ length: page }, () => ({ org_id: uuid, kek_id: 'another', wrapped: nothing, retired: [] }))
    },
  })
  const report = await rotateDataKeys({ system: db, keyring, places: [], newId }, { org: null, olderThanDays: 0 })
  expect(ofName('org_keys.list_to_rotate').map(({ values }) => values.includes(together))).toEqual([true, true, true])
  expect(left).toBe(0)
  expect(report.failed).toHaveLength(secretsBounds.failuresTold.count)
})

test('no further data key is made beside secretsBounds.retiredKeys, and secrets are sealed again in pages of secretsBounds.secretsTogether', async () => {
  const { count: together } = secretsBounds.secretsTogether
  const made: string[] = []
  const rotating = async (retired: number) => {
    const stored = { org_id: uuid, kek_id: 'k1', wrapped: Buffer.alloc(1), is_due: true, may_drop: false }
    let pages = 0
    const { db } = scriptedDatabase({
      'org_keys.list_to_rotate': () => [{ ...stored, retired: Array(retired).fill(Buffer.alloc(1)) }],
    })
    const sealed = { key: 'k', sealed: Buffer.alloc(64), record: 'r' }
    const place = {
      name: 'place',
      list: async (_: unknown, __: unknown, { limit }: { limit: number }) => {
        pages++
        expect(limit).toBe(together)
        return pages === 1 ? Array(limit).fill(sealed) : []
      },
      replace: async () => true,
    }
    const own = {
      activeKekId: 'k1',
      unwrap: async () => ({ id: 'ab', key: Buffer.alloc(32) }),
      newDataKey: async (org: string) => {
        made.push(org)
        throw new EnvelopeError('no key is made here')
      },
    }
    const given = { system: db, keyring: own as never, places: [place] as never, newId }
    return { report: await rotateDataKeys(given, { org: null, olderThanDays: 0 }), pages: () => pages }
  }
  const { count } = secretsBounds.retiredKeys
  await rotating(count - 1)
  expect(made).toHaveLength(1)
  const { report, pages } = await rotating(count)
  expect(made).toHaveLength(1)
  expect([report.rotated, pages()]).toEqual([0, 1])
})

test('data keys are wrapped again in transactions of secretsBounds.keysRewrapped', async () => {
  const { count: together } = secretsBounds.keysRewrapped
  let left = together + 3
  const { db, ofName } = scriptedDatabase({
    'org_keys.list_under_others': ({ values }) => {
      expect(values).toContain(together)
      const page = Math.min(left, together)
      left -= page
      return Array.from({ length: page }, () => ({
        org_id: uuid,
        kek_id: 'old',
        wrapped: Buffer.alloc(1),
        retired: [],
      }))
    },
  })
  const batches: number[] = []
  await rewrapKeys({ system: db, keyring }, () => void batches.push(ofName('org_keys.replace').length))
  expect([left, batches]).toEqual([0, [together, together + 3]])
})

const sessions = () => {
  const heard: ((message: string) => void)[] = []
  const { db, asked, countOf } = scriptedDatabase({
    'people.find_session': ({ values }) => {
      const id = (values.find((value) => Buffer.isBuffer(value)) as Buffer).toString('hex').slice(0, 12)
      return [
        {
          id: `01890a5d-ac96-774b-bcce-${id}`,
          org_id: uuid,
          user_id: uuid,
          role: 'owner',
          unseen_seconds: 3_600,
          lives_ms: 60_000,
        },
      ]
    },
  })
  const pubSub = {
    subscribe: async (_: string, on: (message: string) => void) => void heard.push(on),
    unsubscribe: () => undefined,
  }
  const clock = fakeClock()
  const lookup = createSessionLookup({ auth: db, pubSub: pubSub as never, clock, log })
  const tokenOf = (n: number) => Buffer.from(String(n).padStart(32, '0')).toString('base64url')
  const ask = (n: number) => lookup.authenticate(tokenOf(n))
  return { lookup, heard, ask, asked, looks: () => countOf('people.find_session') }
}

test('more sessions than peopleBounds.sessionsKnown are looked up again, the oldest first, and the use of more than peopleBounds.sessionsSeen is noted later', async () => {
  const { lookup, ask, asked, looks } = sessions()
  const { count } = peopleBounds.sessionsKnown
  for (let n = 0; n <= count; n++) expect(await ask(n)).not.toBeNull()
  await ask(1)
  expect(looks()).toBe(count + 1)
  await ask(0)
  expect(looks()).toBe(count + 2)
  await lookup.flush()
  const noted = asked.flatMap(({ name, values }) => (name === 'people.note_seen' ? [values] : []))
  expect(noted.flat(2).filter((value) => typeof value === 'string' && value.startsWith('0189'))).toHaveLength(
    peopleBounds.sessionsSeen.count,
  )
  await lookup.close()
})

test('changes of sessions beyond peopleBounds.sessionChangesHeard in a second are ignored', async () => {
  const { lookup, heard, ask, looks } = sessions()
  await ask(1)
  const other = JSON.stringify({ session: uuid })
  for (let n = 1; n < peopleBounds.sessionChangesHeard.count; n++) heard[0]?.(other)
  heard[0]?.('{}')
  await ask(1)
  expect(looks()).toBe(2)
  heard[0]?.('{}')
  await ask(1)
  expect(looks()).toBe(2)
  await lookup.close()
})

test('the feeds of more organisations than eventsBounds.feedsLookedAt are looked at by several statements', async () => {
  const { count } = eventsBounds.feedsLookedAt
  const { db, asked } = scriptedDatabase({})
  const pubSub = { subscribe: async () => undefined, unsubscribe: () => undefined, isUp: () => true }
  const feed = createEventFeed({ feedReads: db, pubSub: pubSub as never, log, lookEveryMs: 0 })
  const listener = { reached: () => 0, hear: () => undefined, goBack: () => undefined }
  for (let n = 0; n <= count; n++) await feed.watch(`org ${n}`, listener as never)
  const sizes = () =>
    asked.flatMap(({ values }) => values.flatMap((value) => (Array.isArray(value) ? [value.length] : [])))
  await expect.poll(() => sizes().slice(0, 2)).toEqual([count, 1])
  feed.close()
})

test('while another model can be called, one has the tries of modelsBounds.triesBeforeFallback', () => {
  const { count } = modelsBounds.triesBeforeFallback
  const retries = (failedTries: number) =>
    decideRetry({ failedTries, retryAfterMs: undefined, random: 0, limits: quickRetryLimits }).retry
  expect([retries(count - 1), retries(count)]).toEqual([true, false])
})
