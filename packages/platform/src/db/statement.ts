/** A statement with its values. A named one is prepared once per connection. */
export type Statement = { readonly name?: string; readonly text: string; readonly values: readonly unknown[] }

/** A statement that is prepared by name; the name must be unique in the program. */
export const statement =
  (name: string, text: string) =>
  (...values: readonly unknown[]): Statement => ({ name, text, values })
