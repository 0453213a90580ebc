import { describe, expect, test } from 'vitest'
import { cruiseTree, readRules } from './cruise.ts'
import { cleanTree, type Files, withTree } from './planted-tree.ts'

type Planted = {
  rule: string
  promise: string
  files: Files
}

const core = 'packages/core/src'

// Every entry adds its files to the clean tree and must break its own rule and no other.
const planted: Planted[] = [
  {
    rule: 'no-circles',
    promise: 'two files that import each other are refused',
    files: {
      [`${core}/runs/status.ts`]: "import { step } from './step.ts'\nexport const status = () => step",
      [`${core}/runs/step.ts`]: "import { status } from './status.ts'\nexport const step = () => status",
    },
  },
  {
    rule: 'no-circles',
    promise: 'a circle made of types only is refused',
    files: {
      [`${core}/runs/status.ts`]: "import type { Step } from './step.ts'\nexport type Status = Step",
      [`${core}/runs/step.ts`]: "import type { Status } from './status.ts'\nexport type Step = Status[]",
    },
  },
  {
    rule: 'no-circles-between-slices',
    promise: 'a slice that looks back at a slice which depends on it is refused, though no two files form a circle',
    files: {
      [`${core}/agents/agent.sweep.ts`]: "import { sweep } from '../runs/index.ts'\nexport const agents = sweep",
    },
  },
  {
    rule: 'contract-and-platform-are-leaves',
    promise: 'a contract that knows a machine is refused',
    files: { 'packages/contract/src/ids.ts': "import { newId } from '@ars/platform/id'\nexport const id = newId" },
  },
  {
    rule: 'contract-and-platform-are-leaves',
    promise: 'a machine that knows a word of the contract is refused',
    files: {
      'packages/platform/src/http/server.ts': "import type { Run } from '@ars/contract'\nexport type Body = Run",
    },
  },
  {
    rule: 'contract-and-platform-are-leaves',
    promise: 'a machine that knows the product is refused',
    files: { 'packages/platform/src/log/log.ts': "import { Fault } from '@ars/core/fault'\nexport const log = Fault" },
  },
  {
    rule: 'contract-and-platform-are-leaves',
    promise: 'a contract that needs more than zod is refused',
    files: { 'packages/contract/src/log.ts': "import pino from 'pino'\nexport const log = pino" },
  },
  {
    rule: 'packages-know-no-app',
    promise: 'a package that imports the server is refused',
    files: {
      'packages/testkit/src/app.ts': "import { app } from '../../../apps/server/src/main.ts'\nexport const run = app",
    },
  },
  {
    rule: 'packages-know-no-app',
    promise: 'an experiment that imports the server instead of starting it is refused',
    files: { 'proof/bench/main.ts': "import { app } from '../../apps/server/src/main.ts'\nexport const bench = app" },
  },
  {
    rule: 'clients-see-only-the-public-api',
    promise: 'a CLI that imports the contract instead of the SDK is refused',
    files: { 'apps/cli/src/commands/runs.ts': "import { Run } from '@ars/contract'\nexport const runs = Run" },
  },
  {
    rule: 'clients-see-only-the-public-api',
    promise: 'a dashboard that reaches into the server is refused',
    files: {
      'apps/dashboard/src/api.ts': "import type { app } from '../../server/src/main.ts'\nexport type Api = typeof app",
    },
  },
  {
    rule: 'clients-see-only-the-public-api',
    promise: 'an SDK that leans on the product is refused',
    files: { 'sdks/typescript/src/fault.ts': "import { Fault } from '@ars/core/fault'\nexport const fault = Fault" },
  },
  {
    rule: 'slices-meet-at-the-door',
    promise: "a slice that reaches behind another slice's door is refused",
    files: {
      [`${core}/runs/price.service.ts`]: "import { find } from '../agents/agent.store.ts'\nexport const price = find",
    },
  },
  {
    rule: 'slices-meet-at-the-door',
    promise: "a composition that reaches behind a slice's door is refused",
    files: { [`${core}/admin.ts`]: "import { find } from './agents/agent.store.ts'\nexport const admin = find" },
  },
  {
    rule: 'slices-meet-at-the-door',
    promise: "an app that reaches behind a slice's door is refused",
    files: {
      'apps/server/src/worker.ts':
        "import { store } from '../../../packages/core/src/runs/run.store.ts'\nexport const worker = store",
    },
  },
  ...[
    ['a rule that asks the database', 'price.ts', '@ars/platform/db/pool'],
    ['a rule that asks its own store', 'price.ts', './run.store.ts'],
    ['a rule that asks a service', 'price.ts', './run.service.ts'],
    ['a rule that knows the time', 'price.ts', '@ars/platform/clock'],
    ['a rule that reads a file', 'price.ts', 'node:fs'],
    ['a rule that calls another slice', 'price.ts', '../agents/index.ts'],
    ['a rule that emits events', 'price.ts', '../outbox.ts'],
    ['a store that calls its service', 'price.store.ts', './run.service.ts'],
    ['a rule that imports a statement', 'price.ts', './run.sql.ts'],
    ['a service that imports a statement', 'price.service.ts', './run.sql.ts'],
    ['a statement that calls its store', 'price.sql.ts', './run.store.ts'],
    ['a service that imports the workflow it should name', 'price.service.ts', './run.workflow.ts'],
    ['an API that skips the service', 'price.api.ts', './run.store.ts'],
    ['an API that opens the database', 'price.api.ts', '@ars/platform/db/pool'],
    ['a workflow that skips the service', 'price.workflow.ts', './run.store.ts'],
    ['a sweep that answers customers', 'price.sweep.ts', './run.api.ts'],
  ].map(
    ([refused, file, target]): Planted => ({
      rule: 'rules-are-pure',
      promise: `${refused} is refused`,
      files: { [`${core}/runs/${file}`]: `import * as thing from '${target}'\nexport const price = thing` },
    }),
  ),
  ...[
    ['accept that calls execute', 'accept/quota.ts', '../execute/claim.ts'],
    ['read that calls control', 'read/quota.ts', '../control/cancel.ts'],
    ['a queue that calls accept', 'queue/quota.ts', '../accept/accept.ts'],
    ['a feed that calls dispatch', 'feed/quota.ts', '../dispatch/send.ts'],
    ['a run that calls the feed', 'run/quota.ts', '../feed/frame.ts'],
  ].map(
    ([refused, file, target = '']): Planted => ({
      rule: 'a-run-flows-down',
      promise: `${refused} is rejected`,
      files: {
        [`${core}/runs/${file}`]: `import { target } from '${target}'\nexport const quota = target`,
        [`${core}/runs/${target.slice('../'.length)}`]: 'export const target = 1',
      },
    }),
  ),
  ...[
    ['manage that calls recover', 'manage/change.ts', '../recover/missed.ts'],
    ['deliver that calls manage', 'deliver/change.ts', '../manage/history.ts'],
    ['an endpoint that calls deliver', 'webhook/change.ts', '../deliver/attempt.ts'],
  ].map(
    ([refused, file, target = '']): Planted => ({
      rule: 'a-delivery-flows-down',
      promise: `${refused} is rejected`,
      files: {
        [`${core}/webhooks/${file}`]: `import { target } from '${target}'\nexport const change = target`,
        [`${core}/webhooks/${target.slice('../'.length)}`]: 'export const target = 1',
      },
    }),
  ),
  {
    rule: 'testkit-is-for-tests',
    promise: 'a service that runs on the fake clock is refused',
    files: {
      [`${core}/runs/price.service.ts`]:
        "import { fakeClock } from '@ars/testkit/clock'\nexport const price = fakeClock",
    },
  },
  {
    rule: 'testkit-is-for-tests',
    promise: 'a service that brings the test runner along is refused',
    files: { [`${core}/runs/price.service.ts`]: "import { vi } from 'vitest'\nexport const price = vi" },
  },
  ...[
    ['an experiment that imports another experiment', 'proof/timing/scene.ts', '../chaos/play.ts'],
    ['a drill that imports chaos', 'proof/drill/failover.ts', '../chaos/play.ts'],
    ['a bench that imports another bench', 'proof/bench/list/subject.ts', '../runs/bench.ts'],
    ['a lab that imports an experiment', 'proof/lab/report.ts', '../chaos/play.ts'],
    ['a tool that imports an experiment', 'tools/dev/main.ts', '../../proof/chaos/play.ts'],
  ].map(
    ([refused, file = '', target]): Planted => ({
      rule: 'experiments-stand-on-the-lab',
      promise: `${refused} is refused`,
      files: { [file]: `import * as thing from '${target}'\nexport const proof = thing` },
    }),
  ),
]

describe('the import rules', () => {
  test('a tree in which every import is allowed passes', async () => {
    const verdict = await withTree(cleanTree, cruiseTree)

    expect(verdict).toMatchObject({ broken: [], unresolved: [], report: '' })
    expect(verdict.files).toBe(Object.keys(cleanTree).filter((path) => /(?<!\.test)\.ts$/.test(path)).length)
  })

  for (const { rule, promise, files } of planted) {
    test(`${rule}: ${promise}`, async () => {
      const verdict = await withTree({ ...cleanTree, ...files }, cruiseTree)

      expect(verdict.broken, verdict.report).toEqual([rule])
      expect(verdict.unresolved).toEqual([])
    })
  }

  test('every rule has a planted violation, and there are eleven rules', async () => {
    const { forbidden } = await readRules()
    const names = new Set(forbidden?.map(({ name }) => name))

    expect(new Set(planted.map(({ rule }) => rule))).toEqual(names)
    expect(names.size).toBe(11)
  })

  test('an import that leads nowhere is reported, because no rule can see through it', async () => {
    const files = { 'apps/server/src/lost.ts': "import { gone } from '@ars/platform/gone'\nexport const lost = gone" }
    const { unresolved } = await withTree({ ...cleanTree, ...files }, cruiseTree)

    expect(unresolved).toEqual(['apps/server/src/lost.ts imports @ars/platform/gone'])
  })
})
