import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { isConcurrent, needsStop } from '@ars/platform/db/migrate'

/*
 * Checks with squawk whether the newest migrations are safe beside running processes: no lock that waits for a scan, no index
 * that blocks writers, no column that the previous release does not know how to fill. Sealed migrations cannot change any more.
 */

const dir = 'db/migrations'
const squawk = 'tools/node_modules/.bin/squawk'

// `migrate` sets the lock time-out and the transaction. The width of a number is decided where the column is.
const excluded = [
  'require-lock-timeout',
  'require-statement-timeout',
  'prefer-robust-stmts',
  'prefer-bigint-over-int',
  'prefer-bigint-over-smallint',
  'prefer-identity',
]

/** Migrations that say in their first line why the rules do not apply. */
const isExempt = (text: string): boolean => text.startsWith(needsStop) || text.startsWith(isConcurrent)

const seals = 'db/sealed.txt'
const sealed = existsSync(seals) ? readFileSync(seals, 'utf8') : ''
const files = readdirSync(dir)
  .filter((file) => file.endsWith('.sql') && !sealed.includes(file))
  .map((file) => `${dir}/${file}`)
  .filter((file) => !isExempt(readFileSync(file, 'utf8')))
if (files.length === 0) process.exit(0)

const options = ['--assume-in-transaction', '--pg-version=15.0', `--exclude=${excluded.join(',')}`]
const { status } = spawnSync(squawk, [...options, ...files], { stdio: 'inherit' })
process.exitCode = status ?? 1
