import { z } from 'zod'

/** Who did something, in the audit log and in events. */
export const Actor = z
  .object({
    type: z.enum(['key', 'user', 'operator', 'service']).meta({ id: 'ActorType', description: 'The kind of actor.' }),
    id: z.string().nullable().meta({
      description: 'The API key or person; user and host of an operator’s command; null for the service.',
    }),
  })
  .meta({ id: 'Actor', description: 'Who did it. A short-lived token counts as its creator.' })
