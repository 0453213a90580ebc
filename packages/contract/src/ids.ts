import { z } from 'zod'

/** An id is a prefix for the type of resource and a UUIDv7 in Crockford base32, so ids sort by time. */
export type Id<Prefix extends string> = `${Prefix}_${string}`

export type RunId = Id<'run'>
export type AgentId = Id<'ag'>
export type ConnectorId = Id<'con'>
export type ActionId = Id<'act'>
export type PipelineId = Id<'pl'>
export type PipelineRunId = Id<'plr'>
export type BatchId = Id<'bat'>
export type ApiKeyId = Id<'key'>
export type UserId = Id<'usr'>
export type MemberId = Id<'mem'>
export type InvitationId = Id<'inv'>
export type SessionId = Id<'ses'>
export type OrganisationId = Id<'org'>
export type AuditEntryId = Id<'aud'>
export type DeploymentId = Id<'dep'>
export type EventId = Id<'evt'>
export type WebhookId = Id<'wh'>
export type DeliveryId = Id<'dlv'>
export type RecoveryId = Id<'rec'>
export type AlertId = Id<'alt'>
export type AlertRuleId = Id<'alr'>
export type RunShareId = Id<'shr'>
export type AlertDestinationId = Id<'dst'>
export type PolicyId = Id<'pol'>
export type PolicyAttachmentId = Id<'pat'>
export type PolicyTrialId = Id<'ptr'>
export type ScheduleId = Id<'sch'>
export type ScheduleFiringId = Id<'fir'>

// The cast only narrows the type: at run time, and for the OpenAPI document, it stays a string with a pattern.
const idSchema = <Prefix extends string>(prefix: Prefix, what: string) =>
  z
    .string({
      error: ({ input }) => `${input === undefined ? 'is required and ' : ''}must be the id of ${what}, ${prefix}_…`,
    })
    .regex(new RegExp(`^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`), `must be the id of ${what}, ${prefix}_…`)
    .meta({
      description: `The id of ${what}.`,
      examples: [`${prefix}_01kf3xw0fqe1vrr9m8sdv2wbx4`],
    }) as unknown as z.ZodType<Id<Prefix>, Id<Prefix>>

export const RunId = idSchema('run', 'a run')
export const AgentId = idSchema('ag', 'an agent')
export const ConnectorId = idSchema('con', 'a connector')
export const ActionId = idSchema('act', 'an action')
export const PipelineId = idSchema('pl', 'a pipeline')
export const PipelineRunId = idSchema('plr', 'a pipeline run')
export const BatchId = idSchema('bat', 'a batch')
export const ApiKeyId = idSchema('key', 'an API key')
export const UserId = idSchema('usr', 'a user')
export const MemberId = idSchema('mem', 'a member')
export const InvitationId = idSchema('inv', 'an invitation')
export const SessionId = idSchema('ses', 'a session')
export const OrganisationId = idSchema('org', 'an organisation')
export const AuditEntryId = idSchema('aud', 'an entry of the audit log')
export const DeploymentId = idSchema('dep', 'a deployment')
export const EventId = idSchema('evt', 'an event')
export const WebhookId = idSchema('wh', 'a webhook')
export const DeliveryId = idSchema('dlv', 'a delivery')
export const RecoveryId = idSchema('rec', 'a recovery')
export const AlertId = idSchema('alt', 'an alert')
export const AlertRuleId = idSchema('alr', 'an alert rule')
export const RunShareId = idSchema('shr', 'a link to a run')
export const AlertDestinationId = idSchema('dst', 'an alert destination')
export const PolicyId = idSchema('pol', 'a policy')
export const PolicyAttachmentId = idSchema('pat', 'an attachment of a policy')
export const PolicyTrialId = idSchema('ptr', 'a trial of a policy')
export const ScheduleId = idSchema('sch', 'a schedule')
export const ScheduleFiringId = idSchema('fir', 'a firing of a schedule')
