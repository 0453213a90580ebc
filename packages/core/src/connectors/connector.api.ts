import type { contract, Handlers } from '@ars/contract'
import type { Ctx } from '../ctx.ts'
import type { ConnectorService } from './connector.service.ts'
import { toWireConnector } from './connector.ts'

export const connectorApi = (connectors: ConnectorService): Handlers<typeof contract.connectors, Ctx> => ({
  list: (ctx, page) => connectors.list(ctx, page),
  create: (ctx, body) => connectors.create(ctx, body),
  get: async (ctx, { id }) => toWireConnector(await connectors.get(ctx, id)),
  update: async (ctx, body) => toWireConnector(await connectors.update(ctx, body)),
  delete: async (ctx, { id }) => toWireConnector(await connectors.delete(ctx, id), 'deleted'),
  refresh: (ctx, { id }) => connectors.refresh(ctx, id),
  listTools: async (ctx, { id }) => {
    const data = await connectors.tools(ctx, id)
    return { object: 'list', data, has_more: false, first_id: null, last_id: null }
  },
  approveTool: (ctx, asked) => connectors.approve(ctx, asked),
})
