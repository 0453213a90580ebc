import { z } from 'zod'
import { UnavailableReasonName } from './unavailable-reasons.ts'

const ErrorType = z
  .enum(['invalid_request_error', 'authentication_error', 'permission_error', 'rate_limit_error', 'api_error'])
  .meta({ id: 'ErrorType', description: 'The kind of error, by status.' })

const FieldError = z
  .object({
    param: z.string().nullable().meta({ description: 'The path of the field; null: the whole request.' }),
    message: z.string().meta({ description: 'The error, for people.' }),
  })
  .meta({ id: 'FieldError' })

/** The shape of every error response. */
export const ErrorBody = z
  .object({
    error: z
      .object({
        type: ErrorType,
        code: z
          .string()
          .meta({ description: 'Stable, for programs. `/docs/errors` lists all codes. New codes can be added.' }),
        message: z.string().meta({ description: 'For people. The text can change.' }),
        reason: UnavailableReasonName.nullable().meta({
          description: 'Why the service is `unavailable`; null for every other code.',
        }),
        param: z.string().nullable().meta({ description: 'The path of the invalid field.' }),
        request_id: z.string().meta({ description: 'Identifies the request in the logs of the service.' }),
        doc_url: z.string().meta({ description: 'The description of this code.' }),
        details: z.array(FieldError).meta({ description: 'Every error that was found in the request.' }),
      })
      .meta({ id: 'ErrorContent', description: 'The error.' }),
  })
  .meta({ id: 'Error' })

export type ErrorBody = z.infer<typeof ErrorBody>
