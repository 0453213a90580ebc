import { copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { repositoryRoot } from './cruise.ts'

/** Files by path below the root of the tree. */
export type Files = Readonly<Record<string, string>>

/** A small house in which every import is allowed, with at least one import along every allowed arrow. */
export const cleanTree: Files = {
  'packages/contract/src/index.ts': "export * from './runs.ts'",
  'packages/contract/src/runs.ts': "import { z } from 'zod'\nexport const Run = z.object({})",

  'packages/platform/src/id.ts':
    "import { randomBytes } from 'node:crypto'\nexport const newId = () => randomBytes(16)",
  'packages/platform/src/clock.ts': 'export type Clock = { now(): Date }',
  'packages/platform/src/db/pool.ts': "import { newId } from '../id.ts'\nexport const pool = newId",

  'packages/core/src/fault.ts': 'export class Fault extends Error {}',
  'packages/core/src/outbox.ts': "import { pool } from '@ars/platform/db/pool'\nexport const emit = pool",
  'packages/core/src/core.ts':
    "export { runApi } from './runs/index.ts'\nexport { agentService } from './agents/index.ts'\nexport { emit } from './outbox.ts'",

  'packages/core/src/agents/agent.ts': "import { Fault } from '../fault.ts'\nexport const refuse = () => new Fault()",
  'packages/core/src/agents/agent.store.ts': "import { pool } from '@ars/platform/db/pool'\nexport const find = pool",
  'packages/core/src/agents/agent.service.ts':
    "import { find } from './agent.store.ts'\nimport { refuse } from './agent.ts'\nexport const agentService = { find, refuse }",
  'packages/core/src/agents/index.ts':
    "export { agentService } from './agent.service.ts'\nexport type AgentService = unknown",

  'packages/core/src/runs/run.ts':
    "import { Run } from '@ars/contract'\nimport { newId } from '@ars/platform/id'\nimport type { AgentService } from '../agents/index.ts'\nexport type Rule = AgentService\nexport const run = { Run, newId }",
  'packages/core/src/runs/run.sql.ts': "import { run } from './run.ts'\nexport const accept = run",
  'packages/core/src/runs/run.store.ts':
    "import { pool } from '@ars/platform/db/pool'\nimport { accept } from './run.sql.ts'\nimport { run } from './run.ts'\nexport const store = { pool, run, accept }",
  'packages/core/src/runs/run.service.ts':
    "import { agentService } from '../agents/index.ts'\nimport { emit } from '../outbox.ts'\nimport { store } from './run.store.ts'\nexport const runs = { store, emit, agentService }",
  'packages/core/src/runs/run.api.ts': "import { runs } from './run.service.ts'\nexport const runApi = runs",
  'packages/core/src/runs/run.workflow.ts': "import { runs } from './run.service.ts'\nexport const segment = runs",
  'packages/core/src/runs/run.sweep.ts':
    "import { runs } from './run.service.ts'\nimport { store } from './run.store.ts'\nexport const sweep = { runs, store }",
  'packages/core/src/runs/run.service.test.ts':
    "import { fakeClock } from '@ars/testkit/clock'\nimport { find } from '../agents/agent.store.ts'\nexport const proof = { fakeClock, find }",
  'packages/core/src/runs/index.ts':
    "export { runApi } from './run.api.ts'\nexport { segment } from './run.workflow.ts'\nexport { sweep } from './run.sweep.ts'",

  'packages/testkit/src/clock.ts':
    "import type { Clock } from '@ars/platform/clock'\nexport const fakeClock = {} as Clock",

  'apps/server/src/main.ts':
    "import * as core from '@ars/core'\nimport { segment } from '@ars/core/runs'\nimport { Run } from '@ars/contract'\nexport const app = { core, segment, Run }",
  'apps/cli/src/main.ts': "import { client } from '@ars/sdk'\nexport const cli = client",
  'sdks/typescript/package.json': '{ "name": "@ars/sdk", "exports": "./src/index.ts" }',
  'sdks/typescript/src/index.ts': 'export const client = {}',

  'tools/gen/main.ts': "import { Run } from '@ars/contract'\nexport const gen = Run",

  'proof/lab/stack.ts': "import { newId } from '@ars/platform/id'\nexport const stack = newId",
  'proof/chaos/play.ts': "import { stack } from '../lab/stack.ts'\nexport const play = stack",
  'proof/bench/runs/bench.ts': "import { stack } from '../../lab/stack.ts'\nexport const runs = stack",
  'proof/bench/main.ts': "export { runs } from './runs/bench.ts'",
}

/** Writes a tree with the real packages' manifests, links its packages as an install would, and removes it afterwards. */
export const withTree = async <T>(files: Files, visit: (root: string) => Promise<T>): Promise<T> => {
  const root = await mkdtemp(join(tmpdir(), 'ars-imports-'))
  try {
    for (const [path, content] of Object.entries(files)) await write(join(root, path), `${content}\n`)
    await linkPackages(root)
    return await visit(root)
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

const linkPackages = async (root: string): Promise<void> => {
  await mkdir(join(root, 'node_modules/@ars'), { recursive: true })
  for (const name of ['contract', 'platform', 'core', 'testkit']) {
    // The real manifest, because its `exports` decide what an import resolves to.
    const manifest = `packages/${name}/package.json`
    await copyFile(join(repositoryRoot, manifest), join(root, manifest))
    await symlink(join(root, 'packages', name), join(root, 'node_modules/@ars', name))
  }
  await symlink(join(root, 'sdks/typescript'), join(root, 'node_modules/@ars/sdk'))
  for (const name of ['zod', 'vitest', 'pino']) {
    await write(join(root, 'node_modules', name, 'package.json'), `{ "name": "${name}", "main": "index.js" }`)
    await write(join(root, 'node_modules', name, 'index.js'), '')
  }
}

const write = async (path: string, content: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}
