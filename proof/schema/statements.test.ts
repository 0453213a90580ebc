import { readdirSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { listStatements, type StatementShape } from '@ars/platform/db/statement'
import { createTestDatabase, type TestDatabase } from '@ars/testkit/database'
import pg from 'pg'
import type ts from 'typescript'
import { afterAll, beforeAll, expect, test } from 'vitest'

// Every statement is prepared against the schema. Postgres then says which parameters it takes and which columns it
// answers, and both are compared with the types that the statement declares, so that a renamed column or a forgotten
// parameter is found without running the path that uses it.

const typescript = createRequire(import.meta.url)('typescript') as typeof ts
const root = join(import.meta.dirname, '../..')
const stores = ['packages/core/src', 'packages/platform/src/db'].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => (folder.endsWith('db') ? /^[a-z-]+\.ts$/ : /\.(store|sql)\.ts$/).test(path))
    .map((path) => join(root, folder, path)),
)

type Declared = { parameters: Map<string, string>; columns: Set<string> | null; place: string }
type Described = { parameters: string[]; columns: string[] }

let database: TestDatabase
let client: pg.Client
let declared: Map<string, Declared>
let known: StatementShape[]

beforeAll(async () => {
  for (const store of stores) await import(store)
  known = listStatements()
  declared = readDeclared()
  database = await createTestDatabase()
  client = new pg.Client(database.ownerUrl)
  await client.connect()
})
afterAll(async () => {
  await client?.end()
  await database?.drop()
})

test('every statement prepares, and takes and answers what its types say', async () => {
  const findings: string[] = []
  for (const shape of known) {
    // The statements of work queues are made for each table: only the end of their name is in the text.
    const types = declared.get(shape.name) ?? declared.get(shape.name.replace(/^\w+/, '*'))
    if (!types) {
      findings.push(`${shape.name}: no types were found for it`)
      continue
    }
    const described = await describeStatement(shape).catch((error: Error) => error)
    if (described instanceof Error) {
      findings.push(`${shape.name} (${types.place}): ${described.message}`)
      continue
    }
    findings.push(...differences(shape, types, described).map((words) => `${shape.name} (${types.place}): ${words}`))
  }

  expect(findings).toEqual([])
  expect(known.length).toBeGreaterThan(200)
})

const differences = ({ parameters }: StatementShape, types: Declared, described: Described): string[] => {
  const missing = parameters.filter((name) => !types.parameters.has(name))
  const unused = [...types.parameters.keys()].filter((name) => !parameters.includes(name))
  const wrong = parameters.flatMap((name, at) => {
    const type = types.parameters.get(name)
    const sqlType = described.parameters[at] ?? ''
    return type === undefined || fits(type, sqlType) ? [] : [`:${name} is ${type} and Postgres takes ${sqlType}`]
  })
  const columns = types.columns ?? new Set(described.columns)
  const absent = [...columns].filter((name) => !described.columns.includes(name))
  return [
    ...missing.map((name) => `:${name} is not declared`),
    ...unused.map((name) => `${name} is declared and not used`),
    ...wrong,
    ...absent.map((name) => `the row has ${name} and the statement does not answer it`),
  ]
}

/** Which SQL types a parameter of a TypeScript type can have. */
const sqlTypes: readonly (readonly [type: RegExp, sql: RegExp])[] = [
  [/^(readonly )?\(?number( \| null)?\)?\[\]$/, /^(smallint|integer|bigint|numeric|double precision|real)\[\]$/],
  [/^number$/, /^(smallint|integer|bigint|numeric|double precision|real)$/],
  [/^boolean$/, /^boolean$/],
  // A bigint arrives as text, and goes back as it came.
  [/^(Date|string)$/, /^(timestamp with time zone|bigint)$/],
  [/^(readonly )?Date\[\]$/, /^timestamp with time zone\[\]$/],
  [/^TextArray$/, /^text\[\]$/],
  [/^Buffer/, /^bytea$/],
  [/^(readonly )?Buffer.*\[\]$/, /^bytea\[\]$/],
  [/\[\]\)?$/, /^(text|uuid|json|jsonb)\[\]$/],
  [/./, /^(text|uuid|json|jsonb|date|interval|character varying)$/],
]

const fits = (type: string, sql: string): boolean => {
  const plain = type.replaceAll(/ \| (null|undefined)$/g, '')
  // Numbers and lists must be what they are; everything else is text in some form, or an object that becomes json.
  const isStrict = /^(number|boolean)$/.test(plain) || /\[\]$/.test(plain) || /\[\]$/.test(sql)
  const allowed = sqlTypes.filter(([pattern]) => pattern.test(plain)).some(([, pattern]) => pattern.test(sql))
  return isStrict ? sqlTypes.find(([pattern]) => pattern.test(plain))?.[1].test(sql) === true : allowed
}

/** What Postgres says of a statement: the types of its parameters and the names of its columns. */
const describeStatement = async ({ name, text }: StatementShape): Promise<Described> => {
  await client.query(`prepare "${name}" as ${text}`)
  const { rows } = await client.query<{ types: string[] }>(
    'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
    [name],
  )
  await client.query(`deallocate "${name}"`)
  const columns = await new Promise<string[]>((resolve, reject) => {
    client.query(new DescribeQuery(text, resolve, reject) as unknown as pg.Submittable)
  })
  return { parameters: rows[0]?.types ?? [], columns }
}

/** Parses a statement and asks for the columns of its rows, without running it. */
class DescribeQuery {
  #columns: string[] = []
  readonly #text: string
  readonly #resolve: (columns: string[]) => void
  readonly #reject: (error: Error) => void

  constructor(text: string, resolve: (columns: string[]) => void, reject: (error: Error) => void) {
    this.#text = text
    this.#resolve = resolve
    this.#reject = reject
  }

  submit(connection: {
    parse(options: { name: string; text: string; types: number[] }): void
    describe(options: { type: 'S'; name: string }): void
    sync(): void
  }): void {
    connection.parse({ name: '', text: this.#text, types: [] })
    connection.describe({ type: 'S', name: '' })
    connection.sync()
  }

  handleRowDescription({ fields }: { fields: { name: string }[] }): void {
    this.#columns = fields.map(({ name }) => name)
  }

  handleError(error: Error): void {
    this.#reject(error)
  }

  handleReadyForQuery(): void {
    this.#resolve(this.#columns)
  }
}

/** The types that each `statement<Parameters, Row>(name, …)` declares, by its name. */
const readDeclared = (): Map<string, Declared> => {
  const config = typescript.readConfigFile(join(root, 'tsconfig.json'), typescript.sys.readFile).config
  const { options } = typescript.parseJsonConfigFileContent(config, typescript.sys, root)
  const program = typescript.createProgram(stores, { ...options, noEmit: true })
  const checker = program.getTypeChecker()
  const found = new Map<string, Declared>()
  const keysOf = (node: ts.TypeNode | undefined): Map<string, string> =>
    new Map(
      node === undefined
        ? []
        : checker.getPropertiesOfType(checker.getTypeFromTypeNode(node)).map((property) => {
            const type = checker.getTypeOfSymbolAtLocation(property, node)
            return [property.name, checker.typeToString(type, node, typescript.TypeFormatFlags.NoTruncation)]
          }),
    )
  const visit = (source: ts.SourceFile) => (node: ts.Node) => {
    if (typescript.isCallExpression(node) && node.expression.getText(source) === 'statement') {
      const [name] = node.arguments
      const [parameters, row] = node.typeArguments ?? []
      const text = name && textOf(name)
      if (text !== undefined) {
        const columns = row === undefined ? null : requiredKeys(checker, row)
        found.set(text, {
          parameters: keysOf(parameters),
          columns,
          place: source.fileName.slice(root.length + 1),
        })
      }
    }
    typescript.forEachChild(node, visit(source))
  }
  for (const store of stores) {
    const source = program.getSourceFile(store)
    if (source) visit(source)(source)
  }
  return found
}

/** `*.end` for a name that is made of a variable and an end. */
const textOf = (name: ts.Expression): string | undefined => {
  if (typescript.isStringLiteral(name)) return name.text
  const [span, ...others] = typescript.isTemplateExpression(name) ? name.templateSpans : []
  return span && others.length === 0 ? `*${span.literal.text}` : undefined
}

const requiredKeys = (checker: ts.TypeChecker, node: ts.TypeNode): Set<string> =>
  new Set(
    checker
      .getPropertiesOfType(checker.getTypeFromTypeNode(node))
      .filter(({ flags }) => (flags & typescript.SymbolFlags.Optional) === 0)
      .map(({ name }) => name),
  )
