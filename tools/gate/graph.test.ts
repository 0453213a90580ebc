import { expect, test } from 'vitest'
import { graphOf, type Packages } from './graph.ts'

const packages: Packages = new Map([
  ['@ars/core', { folder: 'packages/core', exports: { './*': './src/*/index.ts' } }],
  [
    '@ars/sdk',
    { folder: 'sdks/typescript', exports: { '.': { types: './src/index.ts', default: './dist/index.js' } } },
  ],
])
const tree = new Map([
  ['packages/core/src/runs/run.ts', ''],
  ['packages/core/src/runs/run.test.ts', "import { run } from './run.ts'"],
  ['packages/core/src/runs/index.ts', "export * from './run.ts'"],
  ['packages/core/src/limits/limit.test.ts', 'export {}'],
  ['sdks/typescript/src/index.ts', ''],
  ['apps/server/src/main.ts', "import { runs } from '@ars/core/runs'\nconst dir = '../../../db/migrations'"],
  ['apps/server/test/app.test.ts', "const { main } = await import('../src/main.ts')"],
  ['apps/cli/test/ars.test.ts', "import { Ars } from '@ars/sdk'"],
  ['tools/pages.test.ts', "readFileSync('docs/promises.md')"],
  ['docs/promises.md', ''],
  ['docs/other.md', ''],
  ['db/migrations/0001.sql', ''],
])
const seeing = (...changed: string[]) => [...graphOf(tree, packages).seeing(changed)]

test('a test sees what it imports, through packages too, and the nearest comes first', () => {
  expect(seeing('packages/core/src/runs/run.ts')).toEqual([
    ['packages/core/src/runs/run.test.ts', 1],
    ['apps/server/test/app.test.ts', 3],
  ])
  expect(seeing('sdks/typescript/src/index.ts')).toEqual([['apps/cli/test/ars.test.ts', 1]])
})

test('a changed test sees itself, and one that is gone is not played', () => {
  expect(seeing('packages/core/src/limits/limit.test.ts')).toEqual([['packages/core/src/limits/limit.test.ts', 0]])
  expect(seeing('packages/core/src/limits/gone.test.ts')).toEqual([])
})

test('a file that is no code is seen by what names it or a folder around it', () => {
  expect(seeing('docs/promises.md')).toEqual([['tools/pages.test.ts', 1]])
  expect(seeing('docs/other.md')).toEqual([])
  expect(seeing('db/migrations/0001.sql')).toEqual([['apps/server/test/app.test.ts', 2]])
})
