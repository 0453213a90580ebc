import { z } from 'zod'
import { batchLimitRows, numbersOf } from './bounds.ts'
import { createdAt, JsonObject, KeyOrPerson } from './fields.ts'
import { AgentId, BatchId, RunId } from './ids.ts'
import { limits } from './limits.ts'
import { runStatuses } from './run-status.ts'
import { Metadata } from './runs.ts'
import { Waiting } from './waiting.ts'

export const batchLimits = numbersOf(batchLimitRows)

const counted = (description: string) => z.int().meta({ description })

const BatchProgress = z
  .object({
    items: counted('All items.'),
    waiting: counted('Items without a run.'),
    running: counted('Items whose run has not ended.'),
    completed: counted('Items whose run has completed.'),
    failed: counted('Items whose run has failed, and items that were refused.'),
    cancelled: counted('Items whose run was cancelled, and items that were not started because of the cancel.'),
  })
  .meta({ id: 'BatchProgress', description: 'The items by their state.' })

export const Batch = z
  .object({
    id: BatchId,
    object: z.literal('batch'),
    agent_id: AgentId.meta({ description: 'The agent of the runs.' }),
    status: z.enum(['running', 'cancelling', 'completed', 'cancelled']).meta({
      id: 'BatchStatus',
      description:
        'The state of a batch. It is `completed` when every item has finished, whether it succeeded or failed.',
    }),
    progress: BatchProgress,
    waiting: Waiting.nullable().meta({
      description: 'Why no worker starts items of it now; null: a worker does, or nothing waits.',
    }),
    metadata: z
      .record(z.string(), z.string())
      .meta({ description: 'The metadata of the request; its runs have it too.' }),
    timeout_seconds: z.int().nullable().meta({ description: 'The timeout of each run; null: as its agent says.' }),
    created_by: KeyOrPerson.meta({
      description: 'The key or person that created it. Its runs are started in this name.',
    }),
    created_at: createdAt,
    finished_at: z.iso.datetime().nullable().meta({ description: 'When the last item ended; null before.' }),
    erased_at: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When the data of the batch and of its runs was erased. Null: it was not.' }),
  })
  .meta({ id: 'Batch', description: 'Many runs of one agent, in the background, without slowing other runs.' })

export type Batch = z.infer<typeof Batch>

const isJsonObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

// As `JsonObject`, whose check looks at every field: for all items of a request this would hold an event loop for 0.4 s.
const BatchInput = z
  .unknown()
  .refine(isJsonObject, 'must be a JSON object')
  .meta({ type: 'object', additionalProperties: {} }) as unknown as z.ZodType<z.infer<typeof JsonObject>>

/** The caller's name for an item. */
const CustomId = z
  .string()
  .regex(/^[A-Za-z0-9_.:-]{1,64}$/, 'must have 1 to 64 letters, digits, or the characters _ - . :')
  .meta({ examples: ['invoice-66'] })

const BatchItem = z
  .strictObject({
    input: BatchInput.meta({ description: 'The input of the run.', type: 'object', additionalProperties: {} }),
    custom_id: CustomId.optional().meta({
      description: 'Your name for the item, unique in the batch. Its result has it.',
    }),
  })
  .meta({ id: 'BatchItem', description: 'An input of a batch.' })

/** The first item whose `custom_id` an earlier item has. */
const repeatedId = (items: readonly { custom_id?: string | undefined }[]): number => {
  const seen = new Set<string>()
  return items.findIndex(({ custom_id }) => {
    const isRepeated = custom_id !== undefined && seen.has(custom_id)
    if (custom_id !== undefined) seen.add(custom_id)
    return isRepeated
  })
}

export const CreateBatch = z
  .strictObject({
    agent_id: AgentId,
    items: z
      .array(BatchItem)
      .min(1)
      .max(batchLimits.batchItems)
      .superRefine((items, ctx) => {
        const at = repeatedId(items)
        if (at < 0) return
        ctx.addIssue({
          code: 'custom',
          path: [at, 'custom_id'],
          message: `must be unique in the batch; an earlier item has "${items[at]?.custom_id}"`,
        })
      })
      .meta({
        description: `1 to ${batchLimits.batchItems} items, one run for each. An input is checked against the agent’s \`input_schema\` when its run starts.`,
      }),
    metadata: Metadata.optional().meta({ description: 'Your own key-value pairs. Each run of the batch gets them.' }),
    timeout_seconds: z
      .int()
      .min(1)
      .max(limits.runTimeoutMaxSeconds)
      .optional()
      .meta({ description: 'The timeout of each run. Default: the agent’s timeout.' }),
  })
  .meta({ id: 'CreateBatch' })

export type CreateBatch = z.output<typeof CreateBatch>

/** The place of an item in the list, from 0. */
export const BatchItemId = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,4})$/, 'must be the place of an item in the list, from 0')
  .meta({ description: 'The place of the item in the list, from 0.', examples: ['0'] })

export const BatchResult = z
  .object({
    id: BatchItemId,
    object: z.literal('batch_result'),
    custom_id: CustomId.nullable().meta({ description: 'Your name for the item; null: it has none, or was erased.' }),
    status: z.enum(['waiting', ...runStatuses]).meta({
      id: 'BatchItemStatus',
      description: '`waiting`: it has no run yet. Otherwise the state of its run; `failed` also if it was refused.',
    }),
    run_id: RunId.nullable().meta({ description: 'Its run; null: it has none.' }),
    output: JsonObject.nullable().meta({ description: 'The output of the run; null without one.' }),
    error: z
      .object({
        code: z.string().meta({ description: 'The code of the failed run, or of the refusal.' }),
        message: z.string().meta({ description: 'The cause in words. The text can change.' }),
      })
      .meta({ id: 'BatchItemError' })
      .nullable()
      .meta({ description: 'Why the item failed; null otherwise.' }),
    finished_at: z.iso.datetime().nullable().meta({ description: 'The end of the run; null before, and without one.' }),
  })
  .meta({ id: 'BatchResult', description: 'What became of an item of a batch.' })

export type BatchResult = z.infer<typeof BatchResult>
