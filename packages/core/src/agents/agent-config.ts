import { ConnectorId, CreateConnector, limits } from '@ars/contract'
import { z } from 'zod'

/** A fault with its place in the request, as an error's `details` show it. */
export type ConfigFault = { param: string; message: string }

/** How a remote agent is shown a credential, as it is handed in. */
export type NewAuth = NonNullable<CreateConnector['auth']>

/**
 * What a request may say of a configuration; null clears. Whether the whole can work is looked at after it was merged,
 * here only whether it can be understood. The faults are those of a malformed request.
 */
export const configFaults = (kind: 'llm' | 'remote', config: Readonly<Record<string, unknown>>): ConfigFault[] => {
  const parsed = forms[kind].safeParse(config)
  return parsed.success ? [] : faultsOf(parsed.error.issues, 'config')
}

/** `place` stands before each path. */
const faultsOf = (issues: readonly z.core.$ZodIssue[], place: string): ConfigFault[] =>
  issues
    .flatMap((issue) => {
      const path = [place, ...issue.path.map(String)].join('.')
      if (issue.code !== 'unrecognized_keys') return [{ param: shorten(path), message: issue.message }]
      return issue.keys.map((key) => ({ param: shorten(`${path}.${key}`), message: 'is not a field of this request' }))
    })
    .slice(0, faultsMost)

// An answer names what is wrong, but does not send back all of a large request.
export const faultsMost = 100
const paramCharsMost = 200

const modelChars = 200
const toolNameChars = 200
const toolsNamedMost = 1_000
const outputTokensMost = 1_000_000

const shorten = (path: string): string => (path.length <= paramCharsMost ? path : `${path.slice(0, paramCharsMost)}…`)

const ToolNames = z.array(z.string().min(1).max(toolNameChars)).max(toolsNamedMost)

const forms = {
  llm: z
    .strictObject({
      model: z.string().min(1).max(modelChars).nullable(),
      instructions: z.string().max(limits.instructionsChars).nullable(),
      temperature: z.number().min(0).max(2).nullable(),
      max_output_tokens: z.int().min(1).max(outputTokensMost).nullable(),
      tools: z
        .array(
          z.strictObject({
            connector_id: ConnectorId,
            allow: ToolNames.optional(),
            require_approval: ToolNames.optional(),
          }),
        )
        .max(limits.toolsPerAgent)
        .nullable(),
      // The models themselves know what a turn looks like.
      script: z.array(z.unknown()).nullable(),
    })
    .partial(),
  remote: z
    .strictObject({
      url: CreateConnector.shape.url.nullable(),
      auth: CreateConnector.shape.auth.unwrap().nullable(),
    })
    .partial(),
} as const
