import { expect, test } from 'vitest'
import { fromUuid } from '../id.ts'
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

test('a UUID in a field of an id is written as the public id, other fields stay as they are', () => {
  const lines: string[] = []
  const log = createLog({ level: 'info', write: (line) => lines.push(line), idPrefixes: { run_id: 'run' } })
  const uuid = '01a1e14f-4cc7-73e0-99a7-1205b1d46d82'
  log.info('raw', { run_id: uuid, other: uuid })
  log.child({ role: 'worker' }).info('public', { run_id: 'run_01m7gmyk67efg9k9rj0prx8vc2' })
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    expect.objectContaining({ run_id: fromUuid('run', uuid), other: uuid }),
    expect.objectContaining({ run_id: 'run_01m7gmyk67efg9k9rj0prx8vc2', role: 'worker' }),
  ])
})

test('the level changes while the process runs, for the children too', () => {
  const lines: string[] = []
  const log = createLog({ level: 'warn', write: (line) => lines.push(line) })
  const child = log.child({})
  child.info('before')
  log.setLevel('debug')
  child.debug('meanwhile')
  log.setLevel('silent')
  log.error('after')
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['meanwhile'])
})
