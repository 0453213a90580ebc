import { z } from 'zod'
import { createdAt, KeyOrPerson } from './fields.ts'
import { RunId, RunShareId } from './ids.ts'
import { limits } from './limits.ts'

export const RunShare = z
  .object({
    id: RunShareId,
    object: z.literal('run_share'),
    run_id: RunId.meta({ description: 'The only run that the link shows.' }),
    created_by: KeyOrPerson.meta({ description: 'The key or person that made the link. The link ends with it.' }),
    created_at: createdAt,
    expires_at: z.iso.datetime().meta({ description: 'When the link stops working.' }),
  })
  .meta({ id: 'RunShare', description: 'A link with which anyone can read one run.' })

export type RunShare = z.infer<typeof RunShare>

export const CreatedRunShare = RunShare.extend({
  token: z.string().nullable().meta({
    description: 'The complete token. Only this response contains it. Null in a replay of an earlier request.',
  }),
  url: z.string().nullable().meta({
    description:
      'The link to a page of the dashboard, with the token in its fragment. Only this response contains it. Null in a replay.',
  }),
}).meta({ id: 'CreatedRunShare' })

export type CreatedRunShare = z.infer<typeof CreatedRunShare>

export const ShareRun = z
  .strictObject({
    id: RunId,
    expires_in_seconds: z
      .int()
      .min(1)
      .max(limits.shareMaxSeconds)
      .optional()
      .meta({
        description: `Lifetime in seconds, at most ${limits.shareMaxSeconds} (30 days). A key that ends earlier shortens it.`,
        default: limits.shareDefaultSeconds,
      }),
  })
  .meta({ id: 'ShareRun' })
