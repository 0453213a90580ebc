import {
  Answer,
  type CreateAgent,
  type HireAgent,
  limits,
  type ReleasedAgent,
  type NewAgent as WireNewAgent,
} from '@ars/contract'
import { canonicalJson, sha256 } from '@ars/platform/crypto'
import type { Tx } from '@ars/platform/db/database'
import { fromUuid, toUuid } from '@ars/platform/id'
import { operatorName } from '@ars/platform/operator-name'
import { type AuditEntry, recordAudit } from '../audit/index.ts'
import { type CatalogEntry, hiredConfig } from '../catalog/index.ts'
import type { Ctx } from '../ctx.ts'
import { findFirstDeployment, release, toWireDeployment } from '../deployments/index.ts'
import { recordEvent } from '../events/index.ts'
import { Fault } from '../fault.ts'
import { claimKey, findIdempotentReplay } from '../idempotency.store.ts'
import { requireSameRequest } from '../idempotency.ts'
import { countAgents, findAgent, insertAgent, lockAgents, type NewAgent } from './agent.store.ts'
import { type Agent, type AgentAuthor, type AgentContent, agentAuditFacts } from './agent.ts'
import { applyPatch } from './agent-change.ts'
import {
  type ConfigFault,
  findComputedFaults,
  requireConnectors,
  requireReadable,
  requireWorkable,
} from './agent-check.service.ts'
import { type AgentParts, type Changer, catalogContentOf, wireOf } from './agent-parts.service.ts'
import { sealNewRemote } from './remote-agent.service.ts'
import type { NewAuth } from './remote-agent.ts'

/** A request to create or hire an agent. */
export type Asked = { way: 'create'; body: CreateAgent } | { way: 'hire'; body: HireAgent & { catalog_key: string } }

export type MakeService = {
  create(ctx: Maker, body: CreateAgent): Promise<Answer<WireNewAgent>>
  hire(ctx: Maker, body: HireAgent & { catalog_key: string }): Promise<Answer<ReleasedAgent>>
  /** The replay of a repeated request; null: it was not made before. Creates nothing. */
  findReplay(ctx: Maker, asked: Asked): Promise<Answer<ReleasedAgent> | null>
  /** Gives an organisation the test agents of the catalog, as the operator. */
  seedTestFamily(org: string): Promise<{ id: string; name: string }[]>
}

/** The creator of an agent. */
type Maker = Changer & Pick<Ctx, 'idempotencyKey'>

type Prepared = { agent: Omit<NewAgent, 'author'>; signingSecret: string | null }

const thing = 'agent' as const

export const createMaking = (deps: AgentParts): MakeService => {
  const { secrets } = deps

  /** A request without a secret has the same fingerprint as any other request. */
  const fingerprintOf = async (ctx: Maker, { way, body }: Asked): Promise<Buffer> => {
    const text = canonicalJson({ way, body })
    const hasSecret = way === 'create' && body.kind === 'remote' && 'auth' in body.config
    return ctx.idempotencyKey !== undefined && hasSecret ? secrets.fingerprint(ctx.org, text) : sha256(text)
  }

  const findReplayOf = async (ctx: Maker, asked: Asked): Promise<Answer<WireNewAgent> | null> => {
    const key = ctx.idempotencyKey
    const replay = key === undefined ? null : await findIdempotentReplay(deps.app, ctx.org, { thing, key })
    if (!replay) return null
    requireSameRequest(replay, await fingerprintOf(ctx, asked))
    const agent = await findAgent(deps.app, ctx.org, replay.subject_id)
    if (!agent) throw new Fault('not_found', 'The agent that this Idempotency-Key made is gone')
    const first = await findFirstDeployment(deps.app, ctx.org, agent.id)
    const body = { ...wireOf(deps, agent), deployment: first && toWireDeployment(first), signing_secret: null }
    return answer(body, { 'idempotency-replayed': 'true' })
  }

  const prepareCustom = async (org: string, { kind, config, ...rest }: CreateAgent): Promise<Prepared> => {
    requireReadable(kind, { config })
    const id = toUuid(deps.newId('ag'))
    const content = applyPatch({ ...nothing, name: rest.name }, kind === 'llm' ? { ...rest, config } : rest)
    const ofNoCatalog = { source: 'custom', catalog_key: null, catalog_version: null, catalogBase: null } as const
    const made = { id, kind, ...ofNoCatalog, ...content, secrets: null }
    const computedFaults = await findComputedFaults(deps, org, made)
    const models = await deps.modelsOf(org)
    requireWorkable({ ...deps, models }, kind === 'llm' ? made : { ...made, config }, { computedFaults })
    if (kind === 'llm') return { agent: made, signingSecret: null }
    const remote = config as { url: string; auth?: NewAuth | null }
    const sealed = await sealNewRemote(deps, org, { id, url: remote.url, auth: remote.auth })
    return { agent: { ...made, config: sealed.config, secrets: sealed.sealed }, signingSecret: sealed.signingSecret }
  }

  const prepareHired = (
    { catalog_key, name, config = {}, metadata }: HireAgent & { catalog_key: string },
    { computedFaults, models }: { computedFaults: readonly ConfigFault[]; models: AgentParts['models'] },
  ): Prepared => {
    const entry = deps.catalog.find(catalog_key)
    if (!entry) throw new Fault('not_found', `No catalog agent ${catalog_key.slice(0, 100)}`, { param: 'catalog_key' })
    requireReadable(entry.kind, { config })
    const agent = hiredFrom(entry, {
      id: toUuid(deps.newId('ag')),
      name: name ?? entry.name,
      config: hiredConfig(entry, config),
      metadata: metadata ?? {},
    })
    requireWorkable({ ...deps, models }, agent, { computedFaults })
    return { agent, signingSecret: null }
  }

  /** Inserts the agent, its first version and its first deployment, with their events and audit entries. */
  const write = async (tx: Tx, org: string, agent: NewAgent, who: Who): Promise<Made> => {
    const { newId } = deps
    const inserted = await insertAgent(tx, org, agent)
    const isHired = agent.source === 'catalog'
    const deployment = await release(tx, org, {
      id: toUuid(newId('dep')),
      agentId: agent.id,
      version: inserted.version,
      source: isHired ? 'hire' : 'create',
      rollout: { strategy: 'all_at_once' },
      author: agent.author,
    })
    const told = toWireDeployment(deployment)
    const subjectId = deployment.id
    await recordEvent(tx, org, { id: toUuid(newId('evt')), type: 'deployment.created', subjectId, data: told })
    await recordAudit(tx, org, {
      id: toUuid(newId('aud')),
      actor: who.actor,
      address: who.address,
      requestId: who.requestId,
      action: isHired ? 'agent.hired' : 'agent.created',
      subject: fromUuid('ag', agent.id),
      before: null,
      after: agentAuditFacts(inserted),
    })
    return { inserted, deployment: told }
  }

  const make = async (ctx: Maker, asked: Asked): Promise<Answer<WireNewAgent>> => {
    const before = await findReplayOf(ctx, asked)
    if (before) return before
    const { way, body } = asked
    const { agent, signingSecret } =
      way === 'create'
        ? await prepareCustom(ctx.org, body)
        : prepareHired(body, {
            computedFaults: await findComputedFaults(deps, ctx.org, { config: body.config }),
            models: await deps.modelsOf(ctx.org),
          })
    const fingerprint = await fingerprintOf(ctx, asked)
    const made = await deps.app.transaction(
      ctx.org,
      async (tx) => {
        await lockAgents(tx, ctx.org)
        const key = ctx.idempotencyKey
        const isOurs = key === undefined || (await claimKey(tx, ctx.org, { thing, key, fingerprint, id: agent.id }))
        if (!isOurs) return null
        await requireConnectors(tx, ctx.org, agent)
        await requireAgentRoom(tx, ctx.org)
        const author = { by: toUuid(ctx.actor.id), type: ctx.actor.type }
        return write(tx, ctx.org, { ...agent, author }, ctx)
      },
      thing,
    )
    if (made) {
      const { inserted, deployment } = made
      return answer({ ...wireOf(deps, inserted), deployment, signing_secret: signingSecret }, {})
    }
    const replay = await findReplayOf(ctx, asked)
    if (replay) return replay
    throw new Fault('unavailable', 'The idempotency key is contended', { reason: 'contended', retryAfterSeconds: 1 })
  }

  return {
    findReplay: async (ctx, asked) => {
      const replay = await findReplayOf(ctx, asked)
      return replay && asked.way === 'hire' ? withoutSecret(replay) : replay
    },
    create: (ctx, body) => make(ctx, { way: 'create', body }),
    hire: async (ctx, body) => withoutSecret(await make(ctx, { way: 'hire', body })),
    seedTestFamily: (org) => {
      const atSeed = { computedFaults: [], models: deps.models }
      const family = testFamily.map((key) => prepareHired({ catalog_key: key, name: key }, atSeed).agent)
      return deps.app.transaction(org, async (tx) => {
        await lockAgents(tx, org)
        for (const agent of family) await write(tx, org, { ...agent, author: operator }, atTheConsole)
        return family.map(({ id, name }) => ({ id: fromUuid('ag', id), name }))
      })
    },
  }
}

/** The `test-*` family: they need no model and cost nothing. docs/guides/test-agents.md describes their input. */
const testFamily = [
  'test-echo',
  'test-slow',
  'test-fail',
  'test-flaky',
  'test-approval',
  'test-stream',
  'test-steps',
] as const

const operator: AgentAuthor = { by: null, type: 'operator' }
const atTheConsole: Who = { actor: { type: 'operator', id: operatorName() }, address: null, requestId: null }

type Who = Pick<AuditEntry, 'actor' | 'address' | 'requestId'>
type Made = { inserted: Agent; deployment: ReturnType<typeof toWireDeployment> }

const nothing: AgentContent = {
  name: '',
  description: null,
  config: {},
  input_schema: null,
  output_schema: null,
  limits: {},
  policies: [],
  metadata: {},
}

const hiredFrom = (
  entry: CatalogEntry,
  own: Pick<NewAgent, 'id' | 'name' | 'config' | 'metadata'>,
): Omit<NewAgent, 'author'> => ({
  ...nothing,
  ...catalogContentOf(entry),
  ...own,
  kind: entry.kind,
  source: 'catalog',
  catalog_key: entry.key,
  catalog_version: entry.version,
  catalogBase: catalogContentOf(entry),
  secrets: null,
})

/** `alreadyAdded`: the number of agents of this transaction that the count contains. The caller holds the lock of all agents. */
export const requireAgentRoom = async (tx: Tx, org: string, { alreadyAdded = 0 } = {}): Promise<void> => {
  if ((await countAgents(tx, org)) - alreadyAdded < limits.agentsPerOrganisation) return
  throw new Fault('limit_reached', `An organisation has at most ${limits.agentsPerOrganisation} agents`)
}

/** A hired agent is of the kind `llm` and is called without a signature. */
const withoutSecret = ({
  body: { signing_secret: _, ...body },
  headers,
}: Answer<WireNewAgent>): Answer<ReleasedAgent> => new Answer(body, { headers: { ...headers } })

const answer = (wire: WireNewAgent, extra: Record<string, string>): Answer<WireNewAgent> =>
  new Answer(wire, { headers: { location: `/v2/agents/${wire.id}`, ...extra } })
