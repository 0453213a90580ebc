import {
  boundedPage,
  boundedTree,
  boundsPage,
  boundsPageOf,
  rowFindings,
  strayBounds,
  untestedFile,
  untestedFindings,
} from '../bounds.ts'
import type { Rule } from '../rule.ts'

const table = 'packages/platform/src/bounds.ts'
const queue = 'packages/platform/src/queue.ts'
const rowsWith = (row: string): string => `export const platformBounds = {\n  waiting: ${row},\n} satisfies Bounds\n`
const names = Array.from({ length: 1_000 }, (_, at) => `waiting${at}`)
const manyRows = `export const platformBounds = {\n${names.map((name) => `  ${name}: { count: 1, atBound: 'it waits' },\n`).join('')}} satisfies Bounds\n`
const stray = (text: string, path = queue) => ({ [path]: text })

export const boundRules: readonly Rule[] = [
  {
    name: 'a bound is a row of a table',
    why: 'A reader finds every bound and what happens there on one page. A number in the code has neither. The tables are the files bounds.ts.',
    check: strayBounds,
    bad: [
      stray('const maxWaiting = 2_000'),
      stray('const maxBytes = 4 * 1024 * 1024'),
      stray('const waitingMax: number = 2'),
      stray('export const rowsPerPage = 1_000'),
      stray('const open = ({ maxWaitMs = 500, url }) => url'),
      stray('createRecent({ max: 100 })'),
      stray('const limits = {\n  connectTimeoutMs: 10_000,\n}'),
      stray('export const queueLimits = {\n  waiting: 10,\n} as const'),
      stray('sql`select id from runs order by id limit 100`', 'packages/platform/src/db/rows.ts'),
      stray('select id from runs limit 10;', 'db/functions/admit_runs.sql'),
    ],
    good: [
      boundedTree,
      stray('const maxWaiting = platformBounds.waiting.count\nlet max = 0\nconst maxOf = maxIn(10)'),
      stray('sql`select id from runs limit 1`; sql`select id from runs limit :max`'),
      stray('sql`select id from runs limit \u0024{platformBounds.waiting.count}`'),
      stray('export const queueLimits = { waiting: platformBounds.waiting.count, defaultWaiting: 1 } as const'),
      stray('// at most: maxWaiting = 10\nconst text = "maxWaiting"'),
      stray('const maxWaiting = 10', 'packages/platform/src/queue.test.ts'),
    ],
  },
  {
    name: 'a bound says what happens there, and code reads it',
    why: 'A number without its behaviour is half of a bound, and one that nothing reads bounds nothing.',
    check: rowFindings,
    bad: [
      { ...boundedTree, [table]: rowsWith("{ atBound: 'refused' }") },
      { ...boundedTree, [table]: rowsWith('{ count: 10 }') },
      { ...boundedTree, [queue]: 'const maxWaiting = 2' },
    ],
    good: [boundedTree],
  },
  {
    name: 'a test names the row of its bound',
    why: `What no test reaches may be any number. ${untestedFile} lists the rows that had none; the list only gets shorter.`,
    check: untestedFindings,
    bad: [
      { ...boundedTree, 'packages/platform/src/queue.test.ts': '' },
      { ...boundedTree, [untestedFile]: 'platformBounds.waiting\n' },
      { ...boundedTree, [untestedFile]: 'platformBounds.gone\n' },
      {
        ...boundedTree,
        [table]: manyRows,
        [queue]: names.map((name) => `platformBounds.${name}`).join('\n'),
        'packages/platform/src/queue.test.ts': '',
        [untestedFile]: names.map((name) => `platformBounds.${name}\n`).join(''),
      },
    ],
    good: [
      boundedTree,
      {
        ...boundedTree,
        'packages/platform/src/queue.test.ts': 'expect(pairs).toBe(platformBounds.pairs.count)',
        [untestedFile]: 'platformBounds.waiting\n',
      },
    ],
  },
  {
    name: 'the page of bounds is up to date',
    why: 'It tells an operator what happens at each bound. `node tools/tidy/bounds.ts` writes it.',
    check: (files) => {
      const written = files.find(({ path }) => path === boundsPage)?.text
      const hasTables = files.some(({ path }) => path.endsWith('/bounds.ts') && !path.startsWith('tools/'))
      return !hasTables || written === boundsPageOf(files) ? [] : [{ path: boundsPage, says: 'is not up to date' }]
    },
    bad: [boundedTree, { ...boundedTree, [boundsPage]: 'No bound.' }],
    good: [{ ...boundedTree, [boundsPage]: boundedPage }],
  },
]
