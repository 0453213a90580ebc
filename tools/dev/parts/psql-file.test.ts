import type pg from 'pg'
import { expect, test } from 'vitest'
import { runPsqlFile } from './psql-file.ts'

const sent = async (text: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> => {
  const statements: string[] = []
  const query = async (sql: string | { text: string }) => {
    const statement = typeof sql === 'string' ? sql : sql.text
    statements.push(statement.trim())
    return { rows: [['first', 'second']] }
  }
  await runPsqlFile({ query } as unknown as pg.Client, text, env)
  return statements
}

test('variables, branches and generated statements mean what they mean in psql', async () => {
  const file = `-- A comment; with a semicolon;
\\getenv password SECRET
\\if :{?password}
\\else
  select 'never';
\\endif
\\if :{?database}
\\else
  \\set database ars
\\endif
\\set other :password
alter role a password :'other';
do $$ begin
  raise notice 'a;';
end $$;
select 'x'::regrole
\\gexec
revoke all on database :"database" from public;
`
  expect(await sent(file, { SECRET: "it's" })).toEqual([
    "alter role a password 'it''s';",
    "do $$ begin\n  raise notice 'a;';\nend $$;",
    "select 'x'::regrole",
    'first',
    'second',
    'revoke all on database "ars" from public;',
  ])
})

test('a command that it does not know is an error', async () => {
  await expect(sent('\\copy a from b')).rejects.toThrow('\\copy is not understood')
})
