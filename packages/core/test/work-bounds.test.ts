import type { Bound } from '@ars/platform/bounds'
import { createLog } from '@ars/platform/log/log'
import { createWorkLoop } from '@ars/platform/work/loop'
import { type ClaimAsk, type ClaimedItem, usualBounds } from '@ars/platform/work/queue'
import { expect, onTestFinished, test } from 'vitest'
import { batchesBounds } from '../src/batches/bounds.ts'
import { guardrailsBounds } from '../src/guardrails/bounds.ts'
import { mailBounds } from '../src/mail/bounds.ts'
import { pipelinesBounds } from '../src/pipelines/bounds.ts'
import { schedulesBounds } from '../src/schedules/bounds.ts'
import { webhooksBounds } from '../src/webhooks/bounds.ts'

const log = createLog({ level: 'silent' })

type Rows = readonly [turns: Bound, kept: Bound, ofOrganisation: Bound]

const queues: readonly (readonly [string, Rows])[] = [
  ['batches', [batchesBounds.batchTurns, batchesBounds.batchTurnsKept, batchesBounds.batchTurnsOfOrganisation]],
  ['trials', [guardrailsBounds.trialTurns, guardrailsBounds.trialTurnsKept, guardrailsBounds.trialTurnsOfOrganisation]],
  ['mails with links', [mailBounds.linkTurns, mailBounds.linkTurnsKept, mailBounds.linkTurnsOfOrganisation]],
  ['mails about events', [mailBounds.eventTurns, mailBounds.eventTurnsKept, mailBounds.eventTurnsOfOrganisation]],
  ['messages', [mailBounds.messageTurns, mailBounds.messageTurnsKept, mailBounds.messageTurnsOfOrganisation]],
  [
    'pipeline runs',
    [pipelinesBounds.pipelineTurns, pipelinesBounds.pipelineTurnsKept, pipelinesBounds.pipelineTurnsOfOrganisation],
  ],
  [
    'firings',
    [schedulesBounds.firingTurns, schedulesBounds.firingTurnsKept, schedulesBounds.firingTurnsOfOrganisation],
  ],
  [
    'recoveries',
    [webhooksBounds.recoveryTurns, webhooksBounds.recoveryTurnsKept, webhooksBounds.recoveryTurnsOfOrganisation],
  ],
]

type Item = ClaimedItem & { isDue: boolean }

const itemsOf = (org: string, count: number): Item[] =>
  Array.from({ length: count }, (_, n) => ({ org, id: `${org} ${n}`, claim: '1', tries: 0, lagMs: 0, isDue: true }))

test.each(queues)(
  '%s: an organisation holds its share, all hold the places, and further items wait',
  async (_, rows) => {
    const [places, keptPlaces, perOrg] = rows.map(({ count = 0 }) => count) as [number, number, number]
    const items = [...itemsOf('busy', 100), ...Array.from({ length: 100 }, (_, n) => itemsOf(`org ${n}`, 1)).flat()]
    const asks: ClaimAsk[] = []
    const underWay = new Map<string, () => void>()
    const loop = createWorkLoop<ClaimedItem>(
      {
        name: 'rows',
        claim: async (ask) => {
          asks.push(ask)
          const held = new Map(ask.uses.map(({ org, places: taken }) => [org, taken]))
          const claimed = items.filter(({ isDue, org }) => {
            const taken = held.get(org) ?? 0
            if (!isDue || taken >= ask.perOrg) return false
            held.set(org, taken + 1)
            return true
          })
          const taken = claimed.slice(0, ask.count)
          for (const item of taken) item.isDue = false
          return { items: taken, isMore: claimed.length > taken.length }
        },
        renew: async (all) => new Set(all.map(({ id }) => id)),
        work: ({ id }) => new Promise((resolve) => underWay.set(id, () => resolve({ kind: 'done' }))),
        giveBack: async () => undefined,
        bury: async () => undefined,
      },
      { ...usualBounds, places, keptPlaces, perOrg },
      { clock: { now: () => new Date(0), monotonicMs: () => 0 }, log, metrics: { onTurn: () => undefined } },
    )
    onTestFinished(() => {
      for (const end of underWay.values()) end()
      loop.drain()
    })
    loop.start()
    await expect.poll(() => underWay.size).toBe(places)
    expect(asks[0]).toMatchObject({ count: places, heavyCount: places - keptPlaces, perOrg })
    expect([...underWay.keys()].filter((id) => id.startsWith('busy'))).toHaveLength(perOrg)
    const [[first, end] = []] = underWay
    end?.()
    underWay.delete(first ?? '')
    await expect.poll(() => underWay.size).toBe(places)
  },
)
