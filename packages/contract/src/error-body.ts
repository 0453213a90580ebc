import { z } from 'zod'

/** The one shape of every refusal. */
export const ErrorBody = z
  .object({
    error: z.object({
      type: z.enum([
        'invalid_request_error',
        'authentication_error',
        'permission_error',
        'rate_limit_error',
        'api_error',
      ]),
      code: z.string().meta({ description: 'Stable, for programs. The error page lists them all.' }),
      message: z.string().meta({ description: 'For people; it may change.' }),
      param: z.string().nullable().meta({ description: 'The field that is at fault, as a path.' }),
      request_id: z.string(),
      doc_url: z.string(),
      details: z.array(z.object({ param: z.string().nullable(), message: z.string() })),
    }),
  })
  .meta({ id: 'Error' })

export type ErrorBody = z.infer<typeof ErrorBody>
