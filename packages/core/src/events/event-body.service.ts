import { createBatcher } from '@ars/platform/db/batcher'
import type { Database } from '@ars/platform/db/database'
import { eventsBounds } from './bounds.ts'
import type { createEventRenderer } from './envelope.service.ts'
import { readEvents } from './event.store.ts'
import { pipelineRunOf, runOf } from './event.ts'
import { findBodies, freezeBodies } from './event-body.store.ts'

type Deps = { app: Database; renderAll: ReturnType<typeof createEventRenderer> }

// The caller bounds how much is held at once; this bounds how many bodies share the four statements that they cost.
const together = eventsBounds.bodiesTogether.count
const underWay = eventsBounds.bodyReads.count

/** The bytes of events as they are sent. Bodies that are requested at the same time are read and stored together. */
export const createBodies = ({ app, renderAll }: Deps): ((org: string, id: string) => Promise<string | null>) => {
  const render = async (org: string, ids: readonly string[]) => {
    if (ids.length === 0) return []
    const { rendered } = await renderAll(org, await readEvents(app, org, ids), Number.POSITIVE_INFINITY)
    return rendered.map(({ row, text }) => ({
      id: row.id,
      run: runOf(row),
      pipelineRun: pipelineRunOf(row),
      body: text,
    }))
  }

  const read = async (org: string, ids: readonly string[]): Promise<Map<string, string>> => {
    const known = await findBodies(app, org, ids)
    const rendered = await render(
      org,
      ids.filter((id) => !known.has(id)),
    )
    if (rendered.length === 0) return known
    const frozen = await freezeBodies(app, org, rendered)
    // Their runs were erased. The rest of the body does not change any more and need not be stored.
    const erased = rendered.filter(({ id }) => !frozen.has(id)).map(({ id }) => id)
    const left = (await render(org, erased)).map(({ id, body }) => [id, body] as const)
    return new Map([...known, ...frozen, ...left])
  }

  return createBatcher<string, string | null>({
    most: together,
    underWay,
    flush: async (org, ids) => {
      const bodies = await read(org, [...new Set(ids)])
      return ids.map((id) => bodies.get(id) ?? null)
    },
  })
}
