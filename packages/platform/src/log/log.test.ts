import { expect, test } from 'vitest'
import { createLog } from './log.ts'

const secrets = [
  'ars_live_EuoG0jqCH8yToiAW0eyIsFeb08b0HECG1iMnD2',
  'ars_demo_EuoG0jqCH8yToiAW0eyIsFeb08b0HECG1iMnD2',
  'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
  'sup3r-s3cret-passw0rd',
]

test.each([
  ['a field', () => ({ anything: `key ${secrets[0]} here` })],
  ['a nested field', () => ({ a: { b: [{ c: secrets[1] }] } })],
  ['an error and its cause', () => ({ error: new Error(`bad ${secrets[2]}`, { cause: new Error(secrets[0]) }) })],
  [
    'a header',
    () => ({ headers: { authorization: `Bearer ${secrets[0]}`, cookie: `__Host-ars_session=${secrets[3]}` } }),
  ],
  ['a connection address', () => ({ url: `postgres://ars_app:${secrets[3]}@db:5432/ars` })],
])('a secret in %s does not reach the log', (_where, fields) => {
  const lines: string[] = []
  createLog({ level: 'info', write: (line) => lines.push(line) }).info(`started with ${secrets[0]}`, fields())
  expect(lines).toHaveLength(1)
  for (const secret of secrets) expect(lines[0]).not.toContain(secret)
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ level: 'info' })
})
