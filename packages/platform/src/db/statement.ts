/**
 * A statement with its values. A named statement is prepared once per connection. `row` exists only for the compiler.
 */
export type Statement<Row = unknown> = {
  readonly name?: string
  readonly text: string
  readonly values: readonly unknown[]
  readonly row?: Row
}

/** The parts of a statement, for the test that prepares every statement against the schema. */
export type StatementShape = { readonly name: string; readonly text: string; readonly parameters: readonly string[] }

export type Uuid = string

/** JSON as text, for a parameter of type `json` or `jsonb`. */
export type Json = string & { readonly isJson?: never }

/** For a statement without parameters. */
export type NoParameters = Record<never, never>

/** Marks a string as SQL for editors and the house rules. Values are passed as parameters only. */
export const sql = (strings: TemplateStringsArray, ...fragments: readonly (string | number)[]): string =>
  String.raw({ raw: strings.map((text) => text) }, ...fragments)

/**
 * A statement that is prepared by name, with named parameters: `:org` in the text is `org` in `Parameters`. They are
 * compiled to `$1`, `$2` … once, when the module is loaded.
 */
export const statement = <Parameters extends object = NoParameters, Row = unknown>(
  name: string,
  text: string,
): ((...parameters: keyof Parameters extends never ? [] : [Parameters]) => Statement<Row>) => {
  const shape = { name, ...compile(text) }
  // Statements are prepared by name, so two texts with one name would be confused.
  if (shapes.has(name)) throw new Error(`Two statements are called ${name}`)
  shapes.set(name, shape)
  return (...[parameters]) => ({
    name,
    text: shape.text,
    values: shape.parameters.map((each) => (parameters as Record<string, unknown>)[each]),
  })
}

/** All statements of the modules that are loaded. */
export const listStatements = (): StatementShape[] => [...shapes.values()]

const shapes = new Map<string, StatementShape>()

/** Replaces `:name` by `$n` outside strings, quoted names and comments. A cast (`::`) is not a parameter. */
export const compile = (text: string): Pick<StatementShape, 'text' | 'parameters'> => {
  const parameters: string[] = []
  const compiled = text.replaceAll(token, (found, name: string | undefined) => {
    if (name === undefined) return found
    if (!parameters.includes(name)) parameters.push(name)
    return `$${parameters.indexOf(name) + 1}`
  })
  return { text: compiled, parameters }
}

// Tokens that may contain a colon without being a parameter are matched first.
const token = /'(?:[^']|'')*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?\*\/|::|(?<![\w\])]):([a-z][A-Za-z0-9]*)/g
