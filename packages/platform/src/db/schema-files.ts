import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Release } from './schema-fit.ts'

/** `hash` is the SHA-256 of the text, in hexadecimal digits. */
export type SchemaFile = { readonly name: string; readonly text: string; readonly hash: string }

/** The migrations in their order, of which the first one is the baseline; and the functions, one per file. */
export type SchemaFiles = { readonly migrations: readonly SchemaFile[]; readonly functions: readonly SchemaFile[] }

/** Reads the folder `db` of a release. */
export const readSchemaFiles = async (dir: string): Promise<SchemaFiles> => ({
  migrations: [await readSchemaFile(join(dir, 'baseline.sql')), ...(await readFolder(join(dir, 'migrations')))],
  functions: await readFolder(join(dir, 'functions')),
})

/** What a process knows about its release. Read once at start: files of the next release may appear beside a running process. */
export const readRelease = async (dir: string, version: string): Promise<Release> => {
  const { migrations, functions } = await readSchemaFiles(dir)
  return { version, migrations: migrations.map(({ name }) => name), functions }
}

const readFolder = async (dir: string): Promise<SchemaFile[]> => {
  const files = (await readdir(dir)).filter((file) => file.endsWith('.sql')).toSorted()
  return Promise.all(files.map((file) => readSchemaFile(join(dir, file))))
}

const readSchemaFile = async (path: string): Promise<SchemaFile> => {
  const text = await readFile(path, 'utf8')
  return { name: basename(path, '.sql'), text, hash: createHash('sha256').update(text).digest('hex') }
}
