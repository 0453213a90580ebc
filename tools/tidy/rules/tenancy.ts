import { crossingsIn, crossingsPage, pageOf } from '../crossings.ts'
import type { SourceFile } from '../repository.ts'
import { type Finding, forbid, type Rule, withoutComments } from '../rule.ts'

const stores = /\.store\.ts$/

const asksForAuthority = [
  // What the contract says about stored things, and what of a list the caller sees.
  'whole-organisation',
  'budgets/budget\\.service',
  // Nobody gives, or takes away, more than they hold.
  'access/grant',
  'people/(authority\\.service|role)',
  // Work that starts later, when its creator may have lost the scope.
  'batches/batch-advance\\.service',
  'pipelines/run/start\\.service',
  'schedules/firing-start\\.service',
  // Who the caller is, and where its key was seen.
  'access/access\\.service',
  'people/session\\.service',
]

const seesForAuthority = ['whole-organisation', 'agent-access', 'access/grant', 'people/authority\\.service']

export const tenancyRules: readonly Rule[] = [
  {
    name: 'a store function takes the transaction and the organisation first',
    why: 'Callers cannot forget the organisation. A function that reads across organisations says so: `// crosses organisations: why`.',
    check: (files) => files.filter(({ path }) => stores.test(path)).flatMap(functionsWithoutOrganisation),
    bad: [
      { 'packages/core/src/runs/run.store.ts': 'export const findRun = async (db: Database, id: string) => null' },
      { 'packages/core/src/runs/run.store.ts': 'export async function findRun(org: string, id: string) {}' },
      {
        'packages/core/src/runs/run.store.ts':
          'export const find = <Row>(\n  tx: Tx,\n  id: string,\n  org: string,\n) => null',
      },
      { 'packages/core/src/runs/run.store.ts': "export const findStatement = statement('find', `select 1`)" },
      {
        'packages/core/src/runs/run.store.ts':
          "export const findStatement = statement<{ id: string }>('find', sql`select :id`)",
      },
      {
        'packages/core/src/runs/run.store.ts':
          '// crosses organisations: deadlines.\nexport const a = (db: Database) => 1\n\nexport const b = (db: Database) => 2',
      },
    ],
    good: [
      {
        'packages/core/src/runs/run.store.ts':
          'export const findRun = async (db: Database, org: string, id: string) => null',
      },
      { 'packages/core/src/runs/run.store.ts': 'export const find = <Row>(\n  tx: Tx,\n  org: string,\n) => null' },
      { 'packages/core/src/runs/run.store.ts': 'export type Row = { id: string }\nexport const pageSizeMax = 100' },
      {
        'packages/core/src/runs/sweep.store.ts':
          '// crosses organisations: deadlines are looked for in all of them.\nexport const due = (db: Database) => []',
      },
    ],
  },
  {
    name: 'every query across organisations is on one page',
    why: 'Row-level security does not restrict these, so a reviewer must see each new one. `node tools/tidy/crossings.ts` writes the page.',
    check: (files) => {
      const written = files.find(({ path }) => path === crossingsPage)?.text ?? ''
      const expected = pageOf(crossingsIn(files))
      return written === expected || crossingsIn(files).length === 0
        ? []
        : [{ path: crossingsPage, says: 'is not up to date' }]
    },
    bad: [
      {
        'packages/core/src/runs/sweep.store.ts':
          '// crosses organisations: deadlines.\nexport const due = (db: Database) => []',
        [crossingsPage]: 'nothing crosses',
      },
    ],
    good: [
      {
        'packages/core/src/runs/sweep.store.ts':
          '// crosses organisations: deadlines.\nexport const due = (db: Database) => []',
        [crossingsPage]: pageOf([{ path: 'packages/core/src/runs/sweep.store.ts', name: 'due', reason: 'deadlines.' }]),
      },
    ],
  },
  {
    name: 'only the contract says which scope and which kind of credential an operation requires',
    why: 'A check by hand is missing in the next service, and the access matrix does not know it: `docs/maintain/add-an-endpoint.md`.',
    check: forbid(/\bscopes\.has\(|\bcredential [!=]== '(?:key|token|session|share)'/, {
      within: /^packages\/core\/src\//,
      except: new RegExp(`\\.(test|fixture)\\.ts$|^packages/core/src/(${asksForAuthority.join('|')})\\.ts$`),
      read: withoutComments,
    }),
    bad: [
      { 'packages/core/src/runs/run.service.ts': "if (!ctx.scopes.has('runs:erase')) throw forbidden()" },
      { 'packages/core/src/agents/agent.api.ts': "if (ctx.credential !== 'session') throw forbidden()" },
    ],
    good: [{ 'packages/core/src/access/grant.ts': 'scopes.filter((scope) => !caller.scopes.has(scope))' }],
  },
  {
    name: 'what a narrowed key, a demo key and a token may not do is refused in one place',
    why: 'The names of an operation and `agent-access.ts` decide it. A refusal by hand is missing in the next service.',
    check: forbid(/\bif \([^;{}]*\b(?:agentIds|isDemo|runOwner)\b[^;{}]*\)\s*(?:\{\s*)?throw\b/, {
      within: /^packages\/core\/src\//,
      except: new RegExp(`\\.(test|fixture)\\.ts$|^packages/core/src/(${seesForAuthority.join('|')})\\.ts$`),
      read: withoutComments,
    }),
    bad: [
      {
        'packages/core/src/batches/batch.service.ts':
          'if (ctx.agentIds !== null && !ctx.agentIds.has(id)) throw none()',
      },
      { 'packages/core/src/runs/run.service.ts': "if (ctx.isDemo) {\n  throw new Fault('forbidden', 'No')\n}" },
      {
        'packages/core/src/runs/run.service.ts':
          "if (\n  ctx.runOwner !== owner\n)\n  throw new Fault('forbidden', 'No')",
      },
    ],
    good: [
      {
        'packages/core/src/agent-access.ts': 'if (agentIds !== null) throw refusal()',
        'packages/core/src/runs/run.service.ts': 'if (page.within.runOwner === null) return all\nthrow new Fault()',
      },
    ],
  },
]

const functionsWithoutOrganisation = (file: SourceFile): Finding[] => {
  const crossing = new Set(crossingsIn([file]).map(({ name }) => name))
  return [...withoutComments(file).matchAll(exported)]
    .filter(({ groups: { name = '', value = '' } = {} }) => !crossing.has(name) && !organisationFirst.test(value))
    .map(({ groups }) => ({ path: file.path, says: `${groups?.name} does not begin with (tx, org)` }))
}

// An exported function with the beginning of its parameters, or an exported statement, which anybody could run.
const exported =
  /^export (?:async )?(?:const|function) (?<name>\w+)(?: = )?(?<value>(?:async )?(?:<[^>]*>)?\([^)]*|statement[<(])/gm
const organisationFirst = /^(?:async )?(?:<[^>]*>)?\(\s*(?:tx|db): [\w.<>]+,\s*org\b/
