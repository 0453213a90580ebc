import { z } from 'zod'
import { createdAt, JsonObject, KeyOrPerson } from './fields.ts'
import { PolicyAttachmentId, PolicyId } from './ids.ts'
import { PolicyRule } from './policy-rule.ts'

export const PolicyMode = z.enum(['enforce', 'shadow']).meta({
  id: 'PolicyMode',
  description:
    '`shadow`: it judges and records findings, and changes nothing. It ends after 14 days unless you renew it.',
})

export const policyStatuses = ['active', 'ended', 'archived'] as const

const PolicyStatus = z.enum(policyStatuses).meta({
  id: 'PolicyStatus',
  description: '`ended`: its time in mode `shadow` is over, so it judges nothing until you set a mode.',
})

const StreamDelay = z
  .object({
    mode: z.enum(['none', 'window', 'chunk', 'whole']).meta({
      id: 'StreamDelayMode',
      description:
        '`window`: the newest characters are held back. `chunk`: text is checked in pieces. `whole`: text appears when all of it is checked.',
    }),
    chars: z.int().nullable().meta({ description: 'How many characters are held back; null: all.' }),
  })
  .meta({ id: 'StreamDelay', description: 'How the policy delays streams of output.' })

export type StreamDelay = z.infer<typeof StreamDelay>

export const Policy = z
  .object({
    id: PolicyId,
    object: z.literal('policy'),
    name: z.string().meta({ description: 'The name of the policy.' }),
    description: z.string().meta({ description: 'What the policy is for.' }),
    status: PolicyStatus,
    mode: PolicyMode,
    shadow_until: z.iso
      .datetime()
      .nullable()
      .meta({ description: 'When mode `shadow` ends; null in mode `enforce` and after the end.' }),
    version: z.int().meta({ description: 'Increases when the rules change.' }),
    template: z.string().nullable().meta({ description: 'The template that it was made from; null: none.' }),
    template_params: JsonObject.nullable().meta({ description: 'The parameters of the template at that time.' }),
    rules: z.array(PolicyRule).meta({ description: 'The rules of this version.' }),
    stream_delay: StreamDelay,
    created_by: KeyOrPerson,
    created_at: createdAt,
    updated_at: z.iso.datetime().meta({ description: 'When it was last changed.' }),
    archived_at: z.iso.datetime().nullable().meta({ description: 'When it was archived; null before.' }),
  })
  .meta({
    id: 'Policy',
    description: 'Rules for everything that enters and leaves runs. It works where it is attached.',
  })

export type Policy = z.infer<typeof Policy>

export const PolicyVersion = z
  .object({
    object: z.literal('policy_version'),
    policy_id: PolicyId,
    version: z.int().meta({ description: 'The number of the version.' }),
    rules: z.array(PolicyRule).meta({ description: 'The rules of this version.' }),
    created_by: KeyOrPerson,
    created_at: createdAt,
  })
  .meta({ id: 'PolicyVersion' })

export type PolicyVersion = z.infer<typeof PolicyVersion>

const subjectTypes = ['organisation', 'agent', 'api_key'] as const

export const PolicyAttachment = z
  .object({
    id: PolicyAttachmentId,
    object: z.literal('policy_attachment'),
    policy_id: PolicyId,
    subject_type: z
      .enum(subjectTypes)
      .meta({ id: 'PolicySubjectType', description: 'The kind of the thing that the policy is attached to.' }),
    subject_id: z
      .string()
      .meta({ description: 'The organisation, agent or API key. All rotations of a key are one key.' }),
    new_runs_only: z.boolean().meta({ description: 'Runs that were accepted before the attachment are not affected.' }),
    created_at: createdAt,
  })
  .meta({ id: 'PolicyAttachment', description: 'Where a policy works.' })

export type PolicyAttachment = z.infer<typeof PolicyAttachment>

const TemplateParam = z
  .object({
    name: z.string().meta({ description: 'The name of the parameter.' }),
    type: z
      .enum(['string', 'string_list', 'number', 'boolean', 'object'])
      .meta({ id: 'TemplateParamType', description: 'The type of the value.' }),
    description: z.string().meta({ description: 'What it means.' }),
    required: z.boolean().meta({ description: 'Whether it has no default.' }),
    default: z.unknown().meta({ description: 'The value if you send none; null: it is required.' }),
    values: z.array(z.string()).nullable().meta({ description: 'The values that it can have; null: any.' }),
  })
  .meta({ id: 'PolicyTemplateParam' })

export const PolicyTemplate = z
  .object({
    id: z.string().meta({ description: 'Same as `key`; used for paging.' }),
    object: z.literal('policy_template'),
    key: z.string().meta({ description: 'The key for `POST /policies`.' }),
    name: z.string().meta({ description: 'The name of the template.' }),
    description: z.string().meta({ description: 'What a policy of this template does.' }),
    params: z.array(TemplateParam).meta({ description: 'What you can set.' }),
    rules: z.array(z.string()).meta({ description: 'The rules in words.' }),
  })
  .meta({ id: 'PolicyTemplate', description: 'A policy with parameters.' })

export type PolicyTemplate = z.infer<typeof PolicyTemplate>

export const policyChanges = ['created', 'updated', 'archived', 'attached', 'detached', 'shadow_ended'] as const
