import {
  Answer,
  type CreatePolicy,
  contract,
  limits,
  type PolicyId,
  sendingChecks,
  type UpdatePolicy,
  type Policy as WirePolicy,
  type PolicyVersion as WireVersion,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Database, Tx } from '@ars/platform/db/database'
import { isCut } from '@ars/platform/db/fitting-page'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { pageSize, toList, toVersionList, type VersionList } from '../../page.ts'
import type { SecretService } from '../../secrets/index.ts'
import { requireStored } from '../../whole-organisation.ts'
import type { Rule } from '../rule.ts'
import { deleteAttachmentsOf } from './attachment.store.ts'
import {
  archivePolicy,
  countPolicies,
  findPolicy,
  insertPolicy,
  insertVersion,
  listPolicies,
  type PolicyAuthor,
  readPolicy,
  updatePolicy,
} from './policy.store.ts'
import { type PolicyRow, policyAuditFacts, subjectIdOf, toWirePolicyVersion } from './policy.ts'
import { recordChange } from './policy-change.service.ts'
import { changePolicies } from './policy-set.service.ts'
import { listPolicyVersions } from './policy-version.store.ts'
import { toWirePolicy } from './policy-wire.service.ts'
import { type Place, type RuleCheckDeps, requireRules } from './rule-check.service.ts'
import { readCredentials } from './rule-credential.service.ts'
import { credentialRecord, isHostRule, keepCredentials, takeCredentials } from './rule-credential.ts'
import { findTemplate, rulesOfTemplate } from './template-params.ts'

export type PolicyService = {
  list(ctx: Org, page: ListPolicies): Promise<ReturnType<typeof toList<WirePolicy>>>
  get(ctx: Org, id: PolicyId): Promise<WirePolicy>
  create(ctx: Author, body: CreatePolicy): Promise<Answer<WirePolicy>>
  /** The response to an identical earlier `create`, or null. */
  findReplay(ctx: Author, body: CreatePolicy): Promise<Answer<WirePolicy> | null>
  update(ctx: PolicyAdmin, body: UpdatePolicy): Promise<WirePolicy>
  /** Idempotent. Its attachments end. */
  archive(ctx: PolicyAdmin, id: PolicyId): Promise<WirePolicy>
  versions(ctx: Org, page: ListVersions): Promise<VersionList<WireVersion>>
}

type Org = Pick<Ctx, 'org'>
export type PolicyAdmin = Org & Pick<Ctx, 'actor' | 'address' | 'requestId' | 'scopes' | 'runOwner'>
type Author = PolicyAdmin & Pick<Ctx, 'idempotencyKey'>

type ListPolicies = {
  limit?: number | undefined
  after?: PolicyId | undefined
  before?: PolicyId | undefined
  status?: WirePolicy['status'][] | undefined
}
type ListVersions = {
  id: PolicyId
  limit?: number | undefined
  after?: number | undefined
  before?: number | undefined
}

type Deps = RuleCheckDeps & {
  app: Database
  secrets: SecretService
  newId: IdMaker
  /** Other policies are in force: every process drops the callers of the organisation that it has cached. */
  onChanged(org: string): void
}

export const createPolicies = (deps: Deps): PolicyService => {
  const { app, newId, onChanged, secrets } = deps

  /** The rules as they are stored, and their credentials, sealed for the version that gets them. */
  const versionOf = async (
    org: string,
    sent: readonly Rule[],
    { policyId, version, before }: { policyId: string; version: number; before: PolicyRow | null },
  ): Promise<ReadyVersion> => {
    const taken = takeCredentials(sent)
    const hasOld = before?.rules.some((rule) => isHostRule(rule) && rule.params.credential_set) ?? false
    const old = before && hasOld ? await readCredentials(deps, org, { policyId, version: before.version }) : {}
    const { rules, credentials, missing } = keepCredentials(taken, { rules: before?.rules ?? [], credentials: old })
    const [first] = missing
    if (first !== undefined) throw invalid(`rules.${first}.params.credential`, needsCredential)
    const count = Object.keys(credentials).length
    const sealed =
      count === 0 ? null : await secrets.seal(org, JSON.stringify(credentials), credentialRecord({ policyId, version }))
    return { rules, version, secrets: sealed, isReplaced: Object.keys(taken.given).length > 0 }
  }

  const get = async (org: string, uuid: string): Promise<PolicyRow> => {
    const policy = await findPolicy(app, org, uuid)
    if (!policy) throw noSuchPolicy(uuid)
    return policy
  }

  /** A request with the same key and the same fields. */
  const repetitionOf = async (
    ctx: Author,
    body: CreatePolicy,
  ): Promise<Pick<Once<WirePolicy>, 'thing' | 'fingerprint' | 'replay'>> => ({
    thing: 'policy',
    fingerprint: await fingerprintOf(secrets, ctx, body),
    replay: async (found) => answer(toWirePolicy(await get(ctx.org, found))),
  })

  const create = async (ctx: Author, body: CreatePolicy): Promise<Answer<WirePolicy>> => {
    const repetition = await repetitionOf(ctx, body)
    // A retry gets its policy even if the request would be rejected by now.
    const replay = await findReplayOf(app, ctx, repetition)
    if (replay) return replay
    const draft = draftOf(body)
    const checked = await requireRules(deps, ctx.org, draft.rules, draft.place)
    const id = toUuid(newId('pol'))
    const first = await versionOf(ctx.org, checked, { policyId: id, version: 1, before: null })
    const author = authorOf(ctx)
    return createOnce(app, ctx, {
      ...repetition,
      id,
      create: (tx) =>
        changePolicies(tx, ctx.org, newId, async () => {
          if ((await countPolicies(tx, ctx.org)) >= limits.policiesPerOrganisation) throw tooMany()
          await insertPolicy(tx, ctx.org, { ...draft.policy, id }, author)
          await insertVersion(tx, ctx.org, { policyId: id, ...first }, author)
          const policy = await reread(tx, ctx.org, id)
          await recordChange(tx, ctx, newId, { policy, change: 'created', after: policyAuditFacts(policy) })
          return answer(toWirePolicy(policy))
        }),
    })
  }

  const update = async (ctx: PolicyAdmin, { id, ...body }: UpdatePolicy): Promise<WirePolicy> => {
    if (Object.values(body).every((value) => value === undefined))
      throw new Fault('invalid_request', 'The request changes nothing: it has no fields')
    const uuid = toUuid(id)
    // Not in the transaction, because it can wait for a thread.
    const known = await get(ctx.org, uuid)
    const checked = body.rules && (await requireRules(deps, ctx.org, body.rules))
    const next =
      checked && (await versionOf(ctx.org, checked, { policyId: uuid, version: known.version + 1, before: known }))
    const changed = await app.transaction(ctx.org, (tx) =>
      changePolicies(tx, ctx.org, newId, async () => {
        const before = requireOpen(await readPolicy(tx, ctx.org, uuid), id)
        requireVersion(before, body.version)
        // Credentials are sealed for the version that gets them.
        if (next?.secrets) requireVersion(before, next.version - 1)
        const after = await apply(tx, ctx, before, { ...body, next: next && { ...next, version: before.version + 1 } })
        if (!after) return before
        const facts = { before: policyAuditFacts(before), after: policyAuditFacts(after) }
        await recordChange(tx, ctx, newId, { policy: after, change: 'updated', ...facts })
        return after
      }),
    )
    onChanged(ctx.org)
    return toWirePolicy(changed)
  }

  return {
    list: async ({ org }, page) => {
      const rows = await listPolicies(app, org, {
        status: page.status ?? null,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(toWirePolicy), page, { isCut: isCut(rows) })
    },
    get: async ({ org }, id) => toWirePolicy(await get(org, toUuid(id))),
    create,
    findReplay: async (ctx, body) => findReplayOf(app, ctx, await repetitionOf(ctx, body)),
    update,
    archive: async (ctx, id) => {
      const uuid = toUuid(id)
      const changed = await app.transaction(ctx.org, (tx) =>
        changePolicies(tx, ctx.org, newId, async () => {
          const before = await readPolicy(tx, ctx.org, uuid)
          if (!before) throw noSuchPolicy(uuid)
          if (before.archived_at) return before
          const attachments = await deleteAttachmentsOf(tx, ctx.org, uuid)
          await archivePolicy(tx, ctx.org, uuid)
          const policy = await reread(tx, ctx.org, uuid)
          const facts = { ...policyAuditFacts(before), attached_to: attachments.map(subjectIdOf) }
          await recordChange(tx, ctx, newId, { policy, change: 'archived', before: facts })
          return policy
        }),
      )
      onChanged(ctx.org)
      return toWirePolicy(changed)
    },
    versions: async ({ org }, page) => {
      const { id: policyId } = await get(org, toUuid(page.id))
      const { after = null, before = null } = page
      const rows = await listPolicyVersions(app, org, { policyId, after, before, limit: pageSize(page) + 1 })
      return toVersionList(rows, page, toWirePolicyVersion)
    },
  }
}

/** `isReplaced`: it has credentials that the version before does not have. */
type ReadyVersion = { rules: Rule[]; version: number; secrets: Buffer | null; isReplaced: boolean }

type Patch = Omit<UpdatePolicy, 'id' | 'rules'> & { next: ReadyVersion | undefined }

/** Null: the request changes nothing. */
const apply = async (tx: Tx, ctx: PolicyAdmin, before: PolicyRow, patch: Patch): Promise<PolicyRow | null> => {
  const { id, name, description } = before
  const isNew = patch.next && (patch.next.isReplaced || canonicalJson(patch.next.rules) !== canonicalJson(before.rules))
  const next = isNew ? patch.next : undefined
  const mode = patch.mode ?? before.mode
  // Asking for the mode `shadow` starts its days again.
  const renews = patch.mode !== undefined && (patch.mode === 'shadow' || patch.mode !== before.mode)
  const content = { id, name: patch.name ?? name, description: patch.description ?? description, mode, renews }
  if (!next && !renews && content.name === name && content.description === description) return null
  // Otherwise a shadow that has ended would send content of runs again.
  if (renews && isSending(next?.rules ?? before.rules))
    requireStored(ctx, contract.policies.update, 'resumed_policy_that_sends')
  if (next) await insertVersion(tx, ctx.org, { policyId: id, ...next }, authorOf(ctx))
  await updatePolicy(tx, ctx.org, { ...content, version: next?.version ?? before.version })
  return reread(tx, ctx.org, id)
}

/** Whether a rule sends content of runs to a host or a model. */
export const isSending = (rules: readonly Pick<Rule, 'check'>[]): boolean =>
  rules.some(({ check }) => sending.has(check))

const sending: ReadonlySet<string> = new Set(sendingChecks)

const needsCredential =
  'is required: the rule has none, or its URL has changed. Send credential_set false to do without'

/** A request without a secret has a plain fingerprint. */
const fingerprintOf = async (secrets: SecretService, ctx: Author, body: CreatePolicy): Promise<Buffer> => {
  const text = canonicalJson(body)
  const hasSecret = body.rules?.some(({ params }) => 'credential' in params) ?? false
  return ctx.idempotencyKey === undefined || !hasSecret ? sha256(text) : secrets.fingerprint(ctx.org, text)
}

const reread = async (tx: Tx, org: string, id: string): Promise<PolicyRow> => {
  const policy = await readPolicy(tx, org, id)
  if (!policy) throw new Error('The database did not return the policy that was written')
  return policy
}

const requireVersion = ({ id, version }: PolicyRow, asked: number | undefined): void => {
  if (asked === undefined || asked === version) return
  throw new Fault('version_conflict', `Policy ${fromUuid('pol', id)} has version ${version}, not ${asked}`, {
    param: 'version',
  })
}

/** The policy that the request describes, with given rules or with those of a template. */
const draftOf = (body: CreatePolicy) => {
  const { name, description, mode } = body
  if ((body.rules === undefined) === (body.template === undefined))
    throw invalid('rules', 'Send either rules or template')
  if (body.rules !== undefined) {
    if (name === undefined) throw invalid('name', 'name is required with rules')
    if (body.params !== undefined) throw invalid('params', 'params are for a template')
    const policy = { name, description: description ?? '', mode, templateKey: null, templateParams: null }
    return { policy, rules: body.rules, place: undefined }
  }
  const template = findTemplate(body.template ?? '')
  if (!template) throw invalid('template', 'template is not the key of a policy template')
  const { rules, params } = rulesOfTemplate(template, body.params ?? {})
  const words = { name: name ?? template.name, description: description ?? template.description }
  return {
    policy: { ...words, mode, templateKey: template.key, templateParams: params },
    rules,
    place: placeInParams(params),
  }
}

/** Of a problem of a rule, the parameter of the template that has the same name, or all of them. */
const placeInParams =
  (params: Readonly<Record<string, unknown>>): Place =>
  (_, path) => {
    const name = path.split('.').at(-1) ?? ''
    return Object.hasOwn(params, name) ? `params.${name}` : 'params'
  }

const tooMany = (): Fault =>
  new Fault('limit_reached', `An organisation has at most ${limits.policiesPerOrganisation} policies`)

const invalid = (param: string, message: string): Fault =>
  new Fault('policy_invalid', message, { param, details: [{ param, message }] })

export const noSuchPolicy = (uuid: string): Fault => new Fault('not_found', `No policy ${fromUuid('pol', uuid)}`)

/** The policy, unless there is none or it is archived. */
export const requireOpen = (policy: PolicyRow | null, id: PolicyId): PolicyRow => {
  if (!policy) throw noSuchPolicy(toUuid(id))
  if (policy.archived_at) throw new Fault('policy_archived', `Policy ${id} is archived`)
  return policy
}

const authorOf = ({ actor }: PolicyAdmin): PolicyAuthor => ({ by: toUuid(actor.id), type: actor.type })

const answer = (policy: WirePolicy): Answer<WirePolicy> =>
  new Answer(policy, { headers: { location: `/v2/policies/${policy.id}` } })
