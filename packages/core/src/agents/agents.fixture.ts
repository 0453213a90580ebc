import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { Keyring } from '@ars/platform/envelope'
import type { IdMaker } from '@ars/platform/id'
import { createLog } from '@ars/platform/log/log'
import { builtInCatalogFolder, type CatalogService, createCatalog } from '../catalog/index.ts'
import { createModelList } from '../models/index.ts'
import { createValidator } from '../schemas/index.ts'
import { testSchemas } from '../schemas/schemas.fixture.ts'
import { type AgentService, createAgents } from './agent.service.ts'

type Given = {
  app: Database
  newId: IdMaker
  /** Every address is forbidden unless this allows it. */
  egress?: Pick<Egress, 'checkUrl'>
  keyring?: Keyring | undefined
  catalog?: Pick<CatalogService, 'find'>
}

/** The agents service of a gateway, with the catalog of this release and the simulated models. */
export const testAgents = ({ egress = closed, keyring, catalog = ours(), ...parts }: Given): AgentService =>
  createAgents({
    ...parts,
    egress,
    keyring,
    catalog,
    models,
    schemas,
    templates: { check: async () => [] },
    modelsOf: async () => models,
  })

const closed: Pick<Egress, 'checkUrl'> = { checkUrl: () => ({ ok: false, reason: 'No address may be called here' }) }
const models = createModelList({ modelsFile: undefined })
const schemas = testSchemas()

let read: CatalogService | undefined
const ours = (): CatalogService => {
  read ??= createCatalog({
    folders: [builtInCatalogFolder],
    models,
    validator: createValidator(),
    log: createLog({ level: 'silent' }),
  })
  return read
}
