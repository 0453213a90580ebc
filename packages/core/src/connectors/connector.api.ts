import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { ConnectorService } from './connector.service.ts'
import { toWire } from './connector.ts'

export const connectorApi = (connectors: ConnectorService): Handlers<typeof contract.connectors, Ctx> => ({
  list: (ctx, page) => connectors.list(ctx, page),
  create: (ctx, body) => connectors.create(ctx, body),
  get: async (ctx, { id }) => toWire(await connectors.get(ctx, id)),
  delete: async (ctx, { id }) => toWire(await connectors.delete(ctx, id), 'deleted'),
})
