import type { ProviderKey } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import { type IdMaker, toUuid } from '@ars/platform/id'
import { auditOf, recordAudit } from '../audit/index.ts'
import type { Ctx } from '../ctx.ts'
import { toList } from '../page.ts'
import type { SecretService } from '../secrets/index.ts'
import { isVendor, type Vendor } from './outside-file.ts'
import { deleteProviderKey, findProviderKey, listProviderKeys, setProviderKey } from './provider-key.store.ts'
import { keyHintOf, providerKeyContextOf, toWireProviderKey } from './provider-key.ts'

/** The keys of model providers that an organisation has entered. They are sealed, and read for each model call, so a change acts at once. */
export type ProviderKeyService = OwnKeys & {
  list(
    ctx: Pick<Ctx, 'org'>,
    page: { limit?: number | undefined; after?: string | undefined; before?: string | undefined },
  ): Promise<ReturnType<typeof toList<ProviderKey>>>
  set(ctx: Ctx, given: { provider: Vendor; key: string }): Promise<ProviderKey>
  delete(ctx: Ctx, provider: Vendor): Promise<{ id: Vendor; object: 'provider_key'; deleted: true }>
  /** The providers of which the organisation has a key. */
  providersOf(org: string): Promise<ReadonlySet<Vendor>>
}

export type OwnKeys = {
  /** The key of the organisation for a model call; null: it has entered none. */
  open(org: string, provider: string): Promise<string | null>
}

type Deps = { app: Database; secrets: Pick<SecretService, 'seal' | 'open'> }

export const createOwnKeys = ({ app, secrets }: Deps): OwnKeys => ({
  open: async (org, provider) => {
    const sealed = isVendor(provider) ? await findProviderKey(app, org, provider) : null
    return sealed && secrets.open(org, sealed, providerKeyContextOf(provider))
  },
})

export const createProviderKeys = (deps: Deps & { newId: IdMaker }): ProviderKeyService => {
  const { app, secrets, newId } = deps
  return {
    ...createOwnKeys(deps),
    list: async ({ org }, page) => {
      const { after, before } = page
      const all = (await listProviderKeys(app, org))
        .map(toWireProviderKey)
        .filter(({ id }) => (after === undefined || id > after) && (before === undefined || id < before))
      return toList(before === undefined ? all : all.toReversed(), page)
    },
    set: async (ctx, { provider, key }) => {
      const sealed = await secrets.seal(ctx.org, key, providerKeyContextOf(provider))
      return app.transaction(ctx.org, async (tx) => {
        const hint = keyHintOf(key)
        const by = { by: toUuid(ctx.actor.id), byType: ctx.actor.type }
        const stored = await setProviderKey(tx, ctx.org, { provider, key: sealed, hint, ...by })
        const act = { action: 'provider_key.set', subject: provider, after: { provider, key_hint: hint } }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
        return toWireProviderKey(stored)
      })
    },
    delete: async (ctx, provider) => {
      await app.transaction(ctx.org, async (tx) => {
        if (!(await deleteProviderKey(tx, ctx.org, provider))) return
        const act = { action: 'provider_key.deleted', subject: provider, before: { provider } }
        await recordAudit(tx, ctx.org, auditOf(ctx, toUuid(newId('aud')), act))
      })
      return { id: provider, object: 'provider_key', deleted: true }
    },
    providersOf: async (org) => new Set((await listProviderKeys(app, org)).map(({ provider }) => provider)),
  }
}
