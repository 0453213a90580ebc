import { z } from 'zod'

/** Why something of the organisation is not worked on now. It names nothing of other organisations. */
export const Waiting = z
  .object({
    reason: z.enum(['turn', 'share', 'line', 'destination', 'retry']).meta({
      id: 'WaitingReason',
      description:
        '`turn`: a free place of the workers. `share`: the places that the organisation may have are in use by its other work. `line`: earlier work of the organisation, such as an earlier firing. `destination`: your endpoint. `retry`: the next attempt is not due yet.',
    }),
    message: z.string().meta({
      description:
        'The explanation, for people, with numbers of your organisation. A key that is narrowed to agents gets those of its agents.',
    }),
  })
  .meta({ id: 'Waiting', description: 'Why it is not worked on now.' })

export type Waiting = z.infer<typeof Waiting>
