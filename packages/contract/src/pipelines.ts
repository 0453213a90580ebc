import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { Metadata, MetadataPatch, PlainText } from './fields.ts'
import { PipelineId } from './ids.ts'
import { limits } from './limits.ts'
import { commaList, listOf, Paging, VersionNumber } from './list.ts'
import { operation } from './operation.ts'
import {
  DefinitionInput,
  Pipeline,
  PipelineCheck,
  PipelineDiff,
  PipelineVersion,
  pipelineBounds,
  pipelineStatuses,
} from './pipeline.ts'

const Name = z.string().min(1).max(pipelineBounds.pipelineNameChars).meta({ description: 'The name of the pipeline.' })
const Description = z
  .string()
  .max(pipelineBounds.pipelineDescriptionChars)
  .nullable()
  .meta({ description: 'What the pipeline does, for people.' })

export const CreatePipeline = z
  .strictObject({
    name: Name,
    description: Description.optional(),
    definition: DefinitionInput,
    metadata: Metadata.optional(),
  })
  .meta({ id: 'CreatePipeline' })

export type CreatePipeline = z.output<typeof CreatePipeline>

export const UpdatePipeline = z
  .strictObject({
    name: Name,
    description: Description,
    definition: DefinitionInput.meta({ description: 'Replaces the whole definition.' }),
    metadata: MetadataPatch,
    version: z.int().min(1).max(limits.versionMax).meta({
      description:
        'The version that your change is based on. If a newer one exists, nothing changes (`version_conflict`).',
    }),
  })
  .partial()
  .extend({ id: PipelineId })
  .refine((given) => Object.keys(given).length > 1, 'The request changes nothing: it has no fields')
  .meta({ id: 'UpdatePipeline', minProperties: 1 })

export type UpdatePipeline = z.output<typeof UpdatePipeline>

const one = z.strictObject({ id: PipelineId })
const reading = { method: 'GET', scope: 'pipelines:read', names: 'organisation', status: 200 } as const
const writing = { scope: 'pipelines:write', names: 'organisation' } as const

export const pipelines = {
  list: operation({
    ...reading,
    path: '/pipelines',
    summary: 'List pipelines',
    input: z.strictObject({
      ...Paging(PipelineId),
      status: commaList(pipelineStatuses).optional(),
      q: PlainText.min(1)
        .max(fieldLimits.searchChars)
        .optional()
        .meta({ description: 'Text to search for in name and description.' }),
    }),
    output: listOf(Pipeline, 'PipelineList'),
    errors: [],
  }),
  create: operation({
    ...writing,
    method: 'POST',
    path: '/pipelines',
    summary: 'Create a pipeline',
    description:
      'The definition is checked as a whole: steps that depend on each other in a circle, unknown steps, agents and fields, and ' +
      'expressions. Each problem has its path, and its position within an expression.',
    status: 201,
    input: CreatePipeline,
    output: Pipeline,
    errors: ['config_invalid', 'limit_reached', 'idempotency_key_reused'],
    idempotent: true,
  }),
  check: operation({
    method: 'POST',
    path: '/pipelines/check',
    summary: 'Check a definition without saving it',
    description: 'Returns the problems that `POST /pipelines` would refuse.',
    scope: 'pipelines:read',
    names: 'organisation',
    status: 200,
    input: z.strictObject({ definition: DefinitionInput }).meta({ id: 'CheckPipeline' }),
    output: PipelineCheck,
    errors: [],
  }),
  get: operation({
    ...reading,
    path: '/pipelines/{id}',
    summary: 'Get a pipeline by id',
    input: one,
    output: Pipeline,
    errors: ['not_found'],
  }),
  update: operation({
    ...writing,
    method: 'PATCH',
    path: '/pipelines/{id}',
    summary: 'Change a pipeline',
    description:
      'Omitted fields stay unchanged. Another name, description or definition creates a new version, which new pipeline runs use. ' +
      'Active pipeline runs stay on their version. Metadata is merged and belongs to no version.',
    status: 200,
    input: UpdatePipeline,
    output: Pipeline,
    errors: ['not_found', 'config_invalid', 'pipeline_archived', 'version_conflict', 'limit_reached'],
  }),
  archive: operation({
    ...writing,
    method: 'DELETE',
    path: '/pipelines/{id}',
    summary: 'Archive a pipeline',
    description: 'Active pipeline runs finish; new ones are rejected. Archiving again has no effect.',
    status: 200,
    input: one,
    output: Pipeline,
    errors: ['not_found'],
  }),
  unarchive: operation({
    ...writing,
    method: 'POST',
    path: '/pipelines/{id}/unarchive',
    summary: 'Return an archived pipeline to service',
    description:
      'The pipeline accepts runs and changes again. It counts towards the limit of pipelines again. An active pipeline is returned ' +
      'unchanged.',
    status: 200,
    input: one,
    output: Pipeline,
    errors: ['not_found', 'limit_reached'],
  }),
  versions: operation({
    ...reading,
    path: '/pipelines/{id}/versions',
    summary: 'List the versions of a pipeline',
    description: 'Newest first. `after` and `before` are version numbers.',
    input: z.strictObject({ id: PipelineId, ...Paging(VersionNumber) }),
    output: listOf(PipelineVersion, 'PipelineVersionList'),
    errors: ['not_found'],
  }),
  version: operation({
    ...reading,
    path: '/pipelines/{id}/versions/{version}',
    summary: 'Get one version of a pipeline',
    input: z.strictObject({ id: PipelineId, version: VersionNumber }),
    output: PipelineVersion,
    errors: ['not_found'],
  }),
  diff: operation({
    ...reading,
    path: '/pipelines/{id}/versions/{version}/diff',
    summary: 'Compare two versions of a pipeline',
    description: 'Steps are compared by their keys.',
    input: z.strictObject({
      id: PipelineId,
      version: VersionNumber,
      to: VersionNumber.meta({ description: 'The version to compare with.' }),
    }),
    output: PipelineDiff,
    errors: ['not_found'],
  }),
} as const
