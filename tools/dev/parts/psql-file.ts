import pg from 'pg'

/**
 * Runs a file that is written for psql, such as `db/roles.sql`, without psql: the Postgres of npm brings none. It knows the
 * commands of that file: `\set`, `\getenv`, `\if :{?name}`, `\else`, `\endif`, `\gexec`, and variables as `:name`, `:'name'` and
 * `:"name"`. Another command is an error.
 */
export const runPsqlFile = async (client: pg.Client, text: string, env: NodeJS.ProcessEnv): Promise<void> => {
  const variables = new Map<string, string>()
  /** For each `\if` that is open: whether its present branch is taken. */
  const branches: boolean[] = []
  let statement = ''
  for (const line of text.split('\n')) {
    const [, command, words = ''] = /^\s*\\(\w+)\s*(.*)$/.exec(line) ?? []
    if (command === 'if') branches.push(isDefined(variables, words))
    else if (command === 'else') branches.push(!branches.pop())
    else if (command === 'endif') branches.pop()
    else if (branches.includes(false)) continue
    else if (command === 'gexec') {
      const { rows } = await client.query<string[]>({ text: withValues(statement, variables), rowMode: 'array' })
      for (const sql of rows.flat()) await client.query(sql)
      statement = ''
    } else if (command !== undefined) assign(variables, command, words, env)
    else {
      statement += `${line.replace(/^\s*--.*/, '')}\n`
      if (!isComplete(statement)) continue
      await client.query(withValues(statement, variables))
      statement = ''
    }
  }
}

const isDefined = (variables: ReadonlyMap<string, string>, condition: string): boolean => {
  const [, name] = /^:\{\?(\w+)\}$/.exec(condition.trim()) ?? []
  if (name === undefined) throw new Error(`\\if ${condition} is not understood`)
  return variables.has(name)
}

const assign = (variables: Map<string, string>, command: string, words: string, env: NodeJS.ProcessEnv): void => {
  const [name = '', value = ''] = words.trim().split(/\s+/)
  if (command === 'getenv') {
    const found = env[value]
    if (found !== undefined) variables.set(name, found)
  } else if (command === 'set')
    variables.set(name, value.startsWith(':') ? (variables.get(value.slice(1)) ?? '') : value)
  else throw new Error(`\\${command} is not understood`)
}

/** A statement ends with a semicolon at the end of a line, outside of `$$`. */
const isComplete = (statement: string): boolean =>
  statement.trimEnd().endsWith(';') && statement.split('$$').length % 2 === 1

const withValues = (statement: string, variables: ReadonlyMap<string, string>): string =>
  statement.replaceAll(/(?<!:):(?:'(\w+)'|"(\w+)")/g, (found, literal?: string, identifier?: string) => {
    const value = variables.get(literal ?? identifier ?? '')
    if (value === undefined) return found
    return literal === undefined ? pg.escapeIdentifier(value) : pg.escapeLiteral(value)
  })
