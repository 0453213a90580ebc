import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { systemClock } from '@ars/platform/clock'
import { createIdMaker, toUuid } from '@ars/platform/id'
import { repositoryDir } from '@ars/tools/dev/server'
import { type ApiCaller, apiCaller } from '../lab/client/api-caller.ts'
import { type Organisation, organisationOf } from '../lab/stack/organisation.ts'
import { openSql, type Sql } from '../lab/stack/sql.ts'
import { startTemporaryStack, type TemporaryStack } from '../lab/stack/temporary-stack.ts'
import { type ModelServer, modelServer, servedModel } from './model-server.ts'
import { keepPython } from './python-home.ts'

/** The whole service with a real model behind it. */
export type Scene = {
  api: ApiCaller
  authorization: Readonly<Record<string, string>>
  model: ModelServer
  records: Sql
  plant(agent: NewAgent): Promise<string>
  dir: string
  /** Stops everything. The directory goes too, unless its logs are still wanted. */
  dispose(options: { keepFiles: boolean }): Promise<void>
}

export type NewAgent = {
  name: string
  instructions?: string
  maxOutputTokens: number
  outputSchema?: Record<string, unknown>
  budgetUsd?: number
}

/** What agents call the model, and what the operator says that a million of its tokens cost. */
export const model = 'local/smollm2'
export const price = { input: 1, output: 3 }

const pythonHome = join(repositoryDir, '.dev', 'e2e-model', 'venv')

export const startScene = async (say: (words: string) => void): Promise<Scene> => {
  // Side by side, because one waits for the network and the other for the processor.
  const [python, stack] = await Promise.allSettled([keepPython(pythonHome, say), startTemporaryStack('e2e-model')])
  if (stack.status === 'rejected') throw stack.reason
  try {
    if (python.status === 'rejected') throw python.reason
    return await openScene(stack.value, python.value, say)
  } catch (error) {
    await stack.value.dispose({ keepFiles: false })
    throw error
  }
}

const openScene = async (temporary: TemporaryStack, python: string, say: (words: string) => void): Promise<Scene> => {
  const { stack, seed } = temporary
  // No part uses the first port of the stack's block, and nobody else may.
  const served = modelServer({ dir: join(stack.dir, 'model-server'), port: stack.ports.base, python })
  const modelsFile = join(stack.dir, 'models.yaml')
  writeFileSync(modelsFile, modelsYaml(served))
  const server = stack.server({ role: 'all', env: { ARS_MODELS_FILE: modelsFile } })
  say('starting the model server and the service')
  const started = await Promise.allSettled([served.start(), server.start()])
  const failure = started.find((outcome) => outcome.status === 'rejected')
  if (failure) {
    await served.stop()
    throw failure.reason
  }
  const api = apiCaller({ port: stack.ports.gateway[0], ca: readFileSync(stack.tls.certFile) })
  const records = openSql(stack.postgres.url('ars_system'))
  const organisation = organisationOf('e2e-model', seed)
  return {
    api,
    authorization: { authorization: `Bearer ${organisation.apiKey}` },
    model: served,
    records,
    plant: (agent) => plantAgent(records, organisation, agent),
    dir: stack.dir,
    dispose: async (options) => {
      api.close()
      await records.close()
      await served.stop()
      await temporary.dispose(options)
    },
  }
}

const modelsYaml = ({ baseUrl }: ModelServer): string => `providers:
  local:
    kind: openai-compatible
    base_url: ${baseUrl}
models:
  - model: ${model}
    provider_model: ${servedModel}
    price_per_million: { input: ${price.input}, output: ${price.output} }
`

const newId = createIdMaker(systemClock)

/** An agent as a customer would have made it, written where it ends up. The same question gets the same answer. */
const plantAgent = async (records: Sql, { id: org }: Organisation, agent: NewAgent): Promise<string> => {
  const id = newId('ag')
  const config = {
    model,
    instructions: agent.instructions ?? '',
    temperature: 0,
    max_output_tokens: agent.maxOutputTokens,
  }
  const limits = agent.budgetUsd === undefined ? {} : { budget_usd: agent.budgetUsd }
  await records.query(
    `insert into agents (id, org_id, name, kind, source, config, output_schema, limits)
     values ($1, $2, $3, 'llm', 'custom', $4, $5, $6)`,
    [toUuid(id), org, agent.name, config, agent.outputSchema ?? null, limits],
  )
  return id
}
