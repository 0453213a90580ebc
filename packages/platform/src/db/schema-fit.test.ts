import { expect, test } from 'vitest'
import { type SchemaState, schemaFit } from './schema-fit.ts'

const release = {
  version: '2.5.0',
  migrations: ['0001_a', '0002_b', '0003_c'],
  functions: [{ name: 'admit', hash: 'new' }],
}
const schema = (migrations: string[], more: Partial<SchemaState> = {}): SchemaState => ({
  migrations,
  stops: [],
  functions: [{ name: 'admit', hash: 'new', release: '2.5.0' }],
  migratedBy: '2.4.0',
  ...more,
})

test('a release fits its own schema, and a newer one whose migrations need no stop', () => {
  expect(schemaFit(schema(['0001_a', '0002_b', '0003_c']), release)).toEqual({ kind: 'fits' })
  expect(schemaFit(schema(['0001_a', '0002_b', '0003_c', '0004_d']), release)).toEqual({ kind: 'fits' })
})

test('a stop that the release knows does not matter', () => {
  const stops = [{ name: '0002_b', release: null }]
  expect(schemaFit(schema(['0001_a', '0002_b', '0003_c', '0004_d'], { stops }), release)).toEqual({ kind: 'fits' })
})

test('a schema without a migration of the release is too old: the words name both releases and the command', () => {
  expect(schemaFit(schema(['0001_a']), release)).toEqual({
    kind: 'too old',
    missing: ['0002_b', '0003_c'],
    words:
      'The schema of the database is too old for release 2.5.0: it lacks 0002_b, 0003_c, and its last migration is ' +
      '0001_a of release 2.4.0. Run `ars-server migrate` of release 2.5.0, then start it again',
  })
})

test('an empty list of migrations is too old', () => {
  expect(schemaFit(schema([], { migratedBy: null }), release)).toMatchObject({
    kind: 'too old',
    words: expect.stringContaining('and it has no migration.'),
  })
})

test('a schema past a stop that the release does not know is too new: the words name both releases', () => {
  const stops = [
    { name: '0004_d', release: '2.6.0' },
    { name: '0006_f', release: '2.7.0' },
  ]
  const migrations = ['0001_a', '0002_b', '0003_c', '0004_d', '0005_e', '0006_f']
  expect(schemaFit(schema(migrations, { stops }), release)).toEqual({
    kind: 'too new',
    words:
      'The schema of the database is too new for release 2.5.0: its last migration is 0003_c, and releases before 2.7.0 ' +
      'cannot work after 0006_f. Start release 2.7.0 or a newer one; migrations are never undone',
  })
})

test('a function with another text is too old, unless a newer release applied it', () => {
  const withFunction = (hash: string, applied: string | null) =>
    schemaFit(schema(release.migrations, { functions: [{ name: 'admit', hash, release: applied }] }), release)
  expect(withFunction('new', null)).toEqual({ kind: 'fits' })
  expect(withFunction('old', '2.4.9')).toMatchObject({ kind: 'too old', missing: ['admit()'] })
  expect(withFunction('old', '2.5.0')).toMatchObject({ kind: 'too old' })
  expect(withFunction('old', null)).toMatchObject({ kind: 'too old' })
  expect(withFunction('newer', '2.10.0')).toEqual({ kind: 'fits' })
  expect(schemaFit(schema(release.migrations, { functions: [] }), release)).toMatchObject({ missing: ['admit()'] })
})
