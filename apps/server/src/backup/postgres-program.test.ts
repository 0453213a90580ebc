import { expect, test } from 'vitest'
import { connectionOf, explain, openPrograms } from './postgres-program.ts'

test('a password is handed over in the environment and not as an argument', () => {
  expect(connectionOf('postgres://ars_backup:s%40fe@db.example.com:5433/ars?sslmode=verify-full')).toEqual({
    args: ['--dbname', 'postgres://ars_backup@db.example.com:5433/ars?sslmode=verify-full'],
    env: { PGPASSWORD: 's@fe' },
  })
})

test.for([
  ['could not write to file: No space left on device', 'The disk is full'],
  ['FATAL:  no pg_hba.conf entry for replication connection from host "10.0.0.1"', 'pg_hba.conf (`host replication'],
  ['ERROR:  replication slot "ars_backup" is active for PID 12', 'Only one may'],
  ['ERROR:  requested WAL segment 000000010000000000000002 has already been removed', 'Begin a new back-up folder'],
])('the failure %j comes with advice', ([said, advised]) => {
  const words = explain('pg_basebackup', ['  120/69000 kB (0%), 0/1 tablespace', String(said)])
  expect(words).toContain(`pg_basebackup failed:\n${said}\n`)
  expect(words).toContain(advised)
})

test('a missing program names the package', async () => {
  const programs = openPrograms({ PATH: '' }, 15.5)
  await expect(programs('pg_nothing', { args: [], limitMs: 1 })).rejects.toThrow('Install the programs of Postgres')
})
