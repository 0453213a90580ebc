import { z } from 'zod'
import { Batch, BatchItemId, BatchResult, batchLimits, CreateBatch } from './batch.ts'
import { AgentId, BatchId } from './ids.ts'
import { listOf, Paging } from './list.ts'
import { operation } from './operation.ts'

const one = z.strictObject({ id: BatchId })
const reading = { method: 'GET', scope: 'runs:read', names: 'agents', allRuns: true, status: 200 } as const

export const batches = {
  create: operation({
    method: 'POST',
    path: '/batches',
    summary: 'Create a batch',
    description: `Starts one run for each item, as fast as the plan allows and without delaying other runs: a batch leaves a fifth of the concurrent runs free. An organisation has at most ${batchLimits.activeBatchesPerOrganisation} active batches.`,
    scope: 'runs:write',
    allRuns: true,
    names: 'agent',
    resolvedIn: 'accept',
    status: 201,
    input: CreateBatch,
    output: Batch,
    errors: [
      'not_found',
      'agent_archived',
      'guardrail_blocked',
      'budget_exhausted',
      'body_too_large',
      'limit_reached',
      'storage_exceeded',
      'idempotency_key_reused',
    ],
    idempotent: true,
  }),
  list: operation({
    ...reading,
    path: '/batches',
    summary: 'List batches',
    input: z.strictObject({
      ...Paging(BatchId),
      agent_id: AgentId.optional().meta({ description: 'Only batches of this agent.' }),
    }),
    output: listOf(Batch, 'BatchList'),
    errors: [],
  }),
  get: operation({
    ...reading,
    path: '/batches/{id}',
    summary: 'Get the progress of a batch',
    input: one,
    output: Batch,
    errors: ['not_found'],
  }),
  results: operation({
    ...reading,
    path: '/batches/{id}/results',
    summary: 'List the results of a batch',
    description: 'In the order of the items, also while the batch is active.',
    input: z.strictObject({ id: BatchId, ...Paging(BatchItemId) }),
    output: listOf(BatchResult, 'BatchResultList'),
    errors: ['not_found'],
  }),
  export: operation({
    ...reading,
    path: '/batches/{id}/export',
    summary: 'Download the results of a batch',
    description: 'One result per line, as JSON, in the order of the items.',
    input: one,
    output: BatchResult,
    errors: ['not_found'],
    lines: true,
  }),
  cancel: operation({
    method: 'DELETE',
    path: '/batches/{id}',
    summary: 'Cancel a batch',
    description:
      'Starts no further item and cancels the runs of the batch. A batch that has ended is returned unchanged.',
    scope: 'runs:write',
    allRuns: true,
    names: 'agents',
    status: 200,
    input: one,
    output: Batch,
    errors: ['not_found'],
  }),
  erase: operation({
    method: 'DELETE',
    path: '/batches/{id}/data',
    summary: 'Erase the data of an ended batch',
    description:
      'Erases its inputs, its metadata and the data of its runs, in the background. `erased_at` says when it is done.',
    scope: 'runs:erase',
    allRuns: true,
    names: 'agents',
    status: 200,
    input: one,
    output: Batch,
    errors: ['not_found', 'run_not_ended'],
  }),
} as const
