import {
  Answer,
  type CreatePipeline,
  limits,
  type PipelineCheck,
  type PipelineDiff,
  type PipelineId,
  pipelineBounds,
  type UpdatePipeline,
  type Pipeline as WirePipeline,
  type PipelineVersion as WireVersion,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Tx } from '@ars/platform/db/database'
import { isCut } from '@ars/platform/db/fitting-page'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../../audit/index.ts'
import type { Ctx } from '../../ctx.ts'
import { Fault } from '../../fault.ts'
import { createOnce, findReplayOf, type Once } from '../../once.service.ts'
import { pageSize, toList, toVersionList, type VersionList } from '../../page.ts'
import type { PipelineDefinition } from '../definition.ts'
import { type DefinitionCheckDeps, findDefinitionProblems } from './definition-check.service.ts'
import { requireNoProblems, toWireProblems } from './definition-fault.ts'
import {
  archivePipeline,
  countPipelines,
  findPipeline,
  insertPipeline,
  listPipelines,
  lockPipeline,
  lockPipelines,
  readPipeline,
  unarchivePipeline,
  updatePipeline,
} from './pipeline.store.ts'
import {
  type PipelineAuthor,
  type PipelineRow,
  type PipelineVersionRow,
  pipelineAuditFacts,
  toWirePipeline,
  toWirePipelineVersion,
} from './pipeline.ts'
import { changedParts, isSamePipeline, patchMetadata, patchPipeline, pipelineChanges } from './pipeline-change.ts'
import { findPipelineVersions, insertPipelineVersion, listPipelineVersions } from './pipeline-version.store.ts'

export type PipelineService = {
  list(ctx: Org, page: ListPipelines): Promise<ReturnType<typeof toList<WirePipeline>>>
  get(ctx: Org, id: PipelineId): Promise<WirePipeline>
  create(ctx: Author, body: CreatePipeline): Promise<Answer<WirePipeline>>
  /** The response to an identical earlier `create`, or null. */
  findReplay(ctx: Author, body: CreatePipeline): Promise<Answer<WirePipeline> | null>
  /** The problems that `create` would refuse. Nothing is stored. */
  check(ctx: Org, body: Pick<CreatePipeline, 'definition'>): Promise<PipelineCheck>
  update(ctx: Admin, body: UpdatePipeline): Promise<WirePipeline>
  /** Idempotent. */
  archive(ctx: Admin, id: PipelineId): Promise<WirePipeline>
  /** Idempotent. */
  unarchive(ctx: Admin, id: PipelineId): Promise<WirePipeline>
  versions(ctx: Org, page: ListVersions): Promise<VersionList<WireVersion>>
  version(ctx: Org, asked: { id: PipelineId; version: number }): Promise<WireVersion>
  /** The changes that lead from `version` to `to`. */
  diff(ctx: Org, asked: { id: PipelineId; version: number; to: number }): Promise<PipelineDiff>
}

type Org = Pick<Ctx, 'org'>
type Admin = Org & Pick<Ctx, 'actor' | 'address' | 'requestId'>
type Author = Admin & Pick<Ctx, 'idempotencyKey'>

type ListPipelines = {
  limit?: number | undefined
  after?: PipelineId | undefined
  before?: PipelineId | undefined
  status?: WirePipeline['status'][] | undefined
  q?: string | undefined
}
type ListVersions = {
  id: PipelineId
  limit?: number | undefined
  after?: number | undefined
  before?: number | undefined
}

export type PipelineDeps = DefinitionCheckDeps & { newId: IdMaker }

export const createPipelines = (deps: PipelineDeps): PipelineService => {
  const { app, newId } = deps

  const get = async (org: string, uuid: string): Promise<PipelineRow> => {
    const pipeline = await findPipeline(app, org, uuid)
    if (!pipeline) throw noSuchPipeline(uuid)
    return pipeline
  }

  const audit = (tx: Tx, ctx: Admin, act: Parameters<typeof auditOf>[2]): Promise<void> =>
    recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))

  /** A request with the same key and the same fields. */
  const repetitionOf = (
    ctx: Author,
    body: CreatePipeline,
  ): Pick<Once<WirePipeline>, 'thing' | 'fingerprint' | 'replay'> => ({
    thing: 'pipeline',
    fingerprint: sha256(canonicalJson(body)),
    replay: async (id) => answer(toWirePipeline(await get(ctx.org, id))),
  })

  const create = async (ctx: Author, body: CreatePipeline): Promise<Answer<WirePipeline>> => {
    const repetition = repetitionOf(ctx, body)
    // A retry gets its pipeline even if the request would be rejected by now.
    const replay = await findReplayOf(app, ctx, repetition)
    if (replay) return replay
    const definition = definitionOf(body)
    requireNoProblems(await findDefinitionProblems(deps, ctx.org, definition))
    const id = toUuid(newId('pl'))
    const { name, description = null, metadata = {} } = body
    return createOnce(app, ctx, {
      ...repetition,
      id,
      create: async (tx) => {
        await lockPipelines(tx, ctx.org)
        await requirePipelineRoom(tx, ctx.org)
        await insertPipeline(tx, ctx.org, { id, name, description, metadata })
        const first = { pipelineId: id, version: 1, name, description, definition }
        await insertPipelineVersion(tx, ctx.org, first, authorOf(ctx))
        const pipeline = await readPipeline(tx, ctx.org, id)
        const subject = fromUuid('pl', id)
        await audit(tx, ctx, { action: 'pipeline.created', subject, after: pipelineAuditFacts(pipeline) })
        return answer(toWirePipeline(pipeline))
      },
    })
  }

  const update = async (ctx: Admin, { id, ...body }: UpdatePipeline): Promise<WirePipeline> => {
    const uuid = toUuid(id)
    const definition = body.definition && definitionOf({ definition: body.definition })
    if (definition) {
      // Before the check, which costs more than a read.
      requireActive(await get(ctx.org, uuid))
      requireNoProblems(await findDefinitionProblems(deps, ctx.org, definition))
    }
    const changed = await app.transaction(ctx.org, async (tx) => {
      const before = requireActive(requireFound(await lockPipeline(tx, ctx.org, uuid), uuid))
      requireVersion(before, body.version)
      return change(tx, ctx, before, { ...body, definition })
    })
    return toWirePipeline(changed)
  }

  /** Runs under the lock of the pipeline. */
  const change = async (tx: Tx, ctx: Admin, before: PipelineRow, patch: Patch): Promise<PipelineRow> => {
    const content = patchPipeline(before, patch)
    const metadata = patchMetadata(before.metadata, patch.metadata)
    requireMetadataRoom(metadata)
    const isNewVersion = !isSamePipeline(before, content)
    const isNewMetadata = canonicalJson(metadata) !== canonicalJson(before.metadata)
    if (!isNewVersion && !isNewMetadata) return before
    const version = isNewVersion ? before.version + 1 : before.version
    if (isNewVersion) {
      requireVersionRoom(before)
      await insertPipelineVersion(tx, ctx.org, { pipelineId: before.id, version, ...content }, authorOf(ctx))
    }
    const { name, description } = content
    await updatePipeline(tx, ctx.org, { id: before.id, name, description, metadata, version })
    // The audit log is kept forever, so it holds the names of the changed parts and not their values; the versions hold those.
    const parts = [...changedParts(pipelineChanges(before, content)), ...(isNewMetadata ? ['metadata'] : [])]
    await audit(tx, ctx, {
      action: 'pipeline.updated',
      subject: fromUuid('pl', before.id),
      before: { version: before.version },
      after: { version, changed: parts },
    })
    return readPipeline(tx, ctx.org, before.id)
  }

  /** Each of these versions, or a refusal that names the one that is missing. */
  const getVersions = async (
    org: string,
    id: PipelineId,
    numbers: readonly number[],
  ): Promise<PipelineVersionRow[]> => {
    const { id: pipelineId } = await get(org, toUuid(id))
    const found = await findPipelineVersions(app, org, { pipelineId, numbers })
    return numbers.map((number) => {
      const version = found.find((each) => each.version === number)
      if (!version) throw new Fault('not_found', `Pipeline ${id} has no version ${number}`, { param: 'version' })
      return version
    })
  }

  return {
    list: async ({ org }, page) => {
      const rows = await listPipelines(app, org, {
        status: page.status ?? null,
        text: page.q ?? null,
        after: page.after === undefined ? null : toUuid(page.after),
        before: page.before === undefined ? null : toUuid(page.before),
        limit: pageSize(page) + 1,
      })
      return toList(rows.map(toWirePipeline), page, { isCut: isCut(rows) })
    },
    get: async ({ org }, id) => toWirePipeline(await get(org, toUuid(id))),
    create,
    findReplay: (ctx, body) => findReplayOf(app, ctx, repetitionOf(ctx, body)),
    check: async ({ org }, body) => {
      const problems = await findDefinitionProblems(deps, org, definitionOf(body))
      return { object: 'pipeline_check', problems: toWireProblems(problems) }
    },
    update,
    archive: async (ctx, id) => {
      const uuid = toUuid(id)
      const archived = await app.transaction(ctx.org, async (tx) => {
        const before = requireFound(await lockPipeline(tx, ctx.org, uuid), uuid)
        if (before.status === 'archived') return before
        await archivePipeline(tx, ctx.org, uuid)
        const facts = { before: { status: 'active' }, after: { status: 'archived' } }
        await audit(tx, ctx, { action: 'pipeline.archived', subject: id, ...facts })
        return readPipeline(tx, ctx.org, uuid)
      })
      return toWirePipeline(archived)
    },
    unarchive: async (ctx, id) => {
      const uuid = toUuid(id)
      const active = await app.transaction(ctx.org, async (tx) => {
        await lockPipelines(tx, ctx.org)
        const before = requireFound(await lockPipeline(tx, ctx.org, uuid), uuid)
        if (before.status === 'active') return before
        await requirePipelineRoom(tx, ctx.org)
        await unarchivePipeline(tx, ctx.org, uuid)
        const facts = { before: { status: 'archived' }, after: { status: 'active' } }
        await audit(tx, ctx, { action: 'pipeline.unarchived', subject: id, ...facts })
        return readPipeline(tx, ctx.org, uuid)
      })
      return toWirePipeline(active)
    },
    versions: async ({ org }, page) => {
      const { id: pipelineId } = await get(org, toUuid(page.id))
      const { after = null, before = null } = page
      const rows = await listPipelineVersions(app, org, { pipelineId, after, before, limit: pageSize(page) + 1 })
      return toVersionList(rows, page, toWirePipelineVersion)
    },
    version: async ({ org }, { id, version }) => {
      const [found] = await getVersions(org, id, [version])
      return toWirePipelineVersion(found as PipelineVersionRow)
    },
    diff: async ({ org }, { id, version, to }) => {
      const [one, other] = (await getVersions(org, id, [version, to])) as [PipelineVersionRow, PipelineVersionRow]
      const changes = pipelineChanges(one, other)
      return { object: 'pipeline_diff', pipeline_id: id, from: version, to, changes }
    },
  }
}

type Patch = Pick<UpdatePipeline, 'name' | 'description' | 'metadata'> & { definition: PipelineDefinition | undefined }

/** A step of the contract may lack both kinds of fields; the check says so. */
const definitionOf = ({ definition }: Pick<CreatePipeline, 'definition'>): PipelineDefinition =>
  definition as PipelineDefinition

/** The caller holds the lock of all pipelines. */
const requirePipelineRoom = async (tx: Tx, org: string): Promise<void> => {
  const { pipelinesPerOrganisation } = pipelineBounds
  if ((await countPipelines(tx, org)) < pipelinesPerOrganisation) return
  throw new Fault('limit_reached', `An organisation has at most ${pipelinesPerOrganisation} pipelines`)
}

const requireVersionRoom = ({ version }: PipelineRow): void => {
  const { versionsPerPipeline } = pipelineBounds
  if (version < versionsPerPipeline) return
  throw new Fault('limit_reached', `A pipeline has at most ${versionsPerPipeline} versions`)
}

const requireMetadataRoom = (metadata: Readonly<Record<string, string>>): void => {
  if (Object.keys(metadata).length <= limits.metadataKeys) return
  const message = `has at most ${limits.metadataKeys} keys`
  throw new Fault('config_invalid', `metadata: ${message}`, {
    param: 'metadata',
    details: [{ param: 'metadata', message }],
  })
}

const requireFound = (pipeline: PipelineRow | null, uuid: string): PipelineRow => {
  if (!pipeline) throw noSuchPipeline(uuid)
  return pipeline
}

const requireActive = (pipeline: PipelineRow): PipelineRow => {
  if (pipeline.status === 'active') return pipeline
  throw new Fault('pipeline_archived', `Pipeline ${fromUuid('pl', pipeline.id)} is archived`)
}

const requireVersion = ({ id, version }: PipelineRow, asked: number | undefined): void => {
  if (asked === undefined || asked === version) return
  const words = `Pipeline ${fromUuid('pl', id)} is at version ${version}, not ${asked}`
  throw new Fault('version_conflict', words, { param: 'version' })
}

const noSuchPipeline = (uuid: string): Fault => new Fault('not_found', `No pipeline ${fromUuid('pl', uuid)}`)

const authorOf = ({ actor }: Admin): PipelineAuthor => ({ by: toUuid(actor.id), type: actor.type })

const answer = (pipeline: WirePipeline): Answer<WirePipeline> =>
  new Answer(pipeline, { headers: { location: `/v2/pipelines/${pipeline.id}` } })
