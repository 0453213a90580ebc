import { blank, forbid, notShipped, type Rule, withoutComments } from '../rule.ts'

const definitionOfTheClock = /create (or replace )?function (\w+\.)?app_now\(\)(?:[^;$]|\$\$[\s\S]*?\$\$)*;/gi

export const timeRules: readonly Rule[] = [
  {
    name: 'SQL takes the time from app_now()',
    why: 'Tests move one clock. A statement with another clock cannot be tested for a due time.',
    check: forbid(
      /(?<![.\w])(now\(\)|(clock|statement|transaction)_timestamp\(\)|(current|local)_?(timestamp|time|date)\b)/i,
      {
        within: /\.sql$|\.(store|sql)\.ts$|^packages\/core\/src\/outbox|^packages\/platform\/src\/db\//,
        except: /\.test\.ts$/,
        read: (file) => withoutComments(file).replaceAll(definitionOfTheClock, blank),
      },
    ),
    bad: [
      { 'packages/core/src/runs/run.store.ts': 'const due = `select id from runs where due_at < now()`' },
      { 'db/migrations/0002_more.sql': 'alter table runs add column at timestamptz default current_timestamp;' },
      { 'packages/platform/src/db/lock.ts': "const text = 'select clock_timestamp()'" },
      { 'packages/core/src/runs/due.sql.ts': 'export const due = sql`select id from runs where due_at < now()`' },
    ],
    good: [
      { 'packages/core/src/runs/run.store.ts': 'const due = `select id from runs where due_at < app_now()`' },
      {
        'packages/core/src/runs/run.store.ts':
          '// Never now(): it does not move with the clock.\nconst at = clock.now()',
      },
      {
        'db/migrations/0001_clock.sql':
          'create function app_now() returns timestamptz language sql stable\n  return statement_timestamp();',
      },
      {
        'db/seeds/clock.sql':
          "create or replace function public.app_now() returns timestamptz as $$ select clock_timestamp() + interval '1 day'; $$ language sql;",
      },
    ],
  },
  {
    name: 'time and chance come from the platform',
    why: 'Code that reads the system clock or randomness directly cannot be replayed or tested at another time.',
    check: forbid(
      /\bDate\.now\b|\bnew Date\(\s*\)|\bMath\.random\b|\brandomUUID\b|\bcrypto\.(random|getRandom)|\brandom(Bytes|Fill|Int)[^}]*\} from 'node:crypto'/,
      {
        within: /^(packages|apps\/server)\/.*\.tsx?$/,
        except: new RegExp(`${notShipped.source}|^packages/platform/src/(clock|id|crypto)\\.ts$`),
        read: withoutComments,
      },
    ),
    bad: [
      { 'packages/core/src/runs/run.service.ts': 'const startedAt = new Date()' },
      { 'packages/core/src/runs/run.service.ts': 'const startedAt = Date.now()' },
      { 'apps/server/src/gateway/answer/request.ts': "import { randomUUID } from 'node:crypto'" },
      { 'packages/platform/src/durable/backoff.ts': 'const jitter = Math.random() * 100' },
      { 'packages/core/src/access/key.ts': "import { createHash, randomBytes } from 'node:crypto'" },
      { 'packages/core/src/access/key.ts': "import {\n  randomBytes,\n  createHash,\n} from 'node:crypto'" },
      { 'packages/core/src/access/key.ts': 'crypto.getRandomValues(bytes)' },
    ],
    good: [
      {
        'packages/core/src/runs/run.service.ts': 'const startedAt = clock.now()\nconst day = new Date(row.created_at)',
      },
      { 'packages/core/src/access/key.service.ts': "import { randomBytes } from '@ars/platform/crypto'" },
      { 'packages/platform/src/clock.ts': 'export const systemClock = { now: () => new Date() }' },
      { 'packages/core/src/runs/run.test.ts': 'const at = new Date()' },
      { 'proof/bench/main.ts': 'const began = Date.now()' },
    ],
  },
  {
    name: 'a feature flag is gone by its date',
    why: 'A flag that is never removed doubles the cases of every test below it.',
    check: (files) => {
      const today = new Date().toISOString().slice(0, 10)
      return forbid(/removeBy: '(\d{4}-\d{2}-\d{2})'/, { within: /(^|\/)flags\.ts$/ })(files).filter(
        ({ says }) => says.slice(-11, -1) < today,
      )
    },
    bad: [{ 'packages/core/src/flags.ts': "fairQueue: { default: false, owner: 'runs', removeBy: '2020-01-31' }" }],
    good: [{ 'packages/core/src/flags.ts': "fairQueue: { default: false, owner: 'runs', removeBy: '2999-01-31' }" }],
  },
]
