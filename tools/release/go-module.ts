import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Artefact } from './artefact.ts'
import { command } from './command.ts'
import { zipOf } from './zip.ts'

/** The path of a Go module, which stands in its go.mod alone. */
export const goModulePath = (folder: string): string => {
  const [, path] = /^module (\S+)$/m.exec(readFileSync(join(folder, 'go.mod'), 'utf8')) ?? []
  if (!path) throw new Error(`${folder}/go.mod has no module path`)
  return path
}

/** The end of the path that Go demands for a version: `/v2` from version 2 on, nothing before. */
export const moduleSuffix = (version: string): string => {
  const major = Number(version.split('.')[0])
  return major < 2 ? '' : `/v${major}`
}

export const hasSuffix = (path: string, suffix: string): boolean => (/\/v\d+$/.exec(path)?.[0] ?? '') === suffix

/**
 * The Go module as a proxy serves it: `GOPROXY=file://<out>/go` installs it. The zip holds the files that git knows,
 * below `module@version/`.
 */
export const buildGoModule = async (root: string, out: string, version: string): Promise<Artefact[]> => {
  const folder = join(root, 'sdks/go')
  const path = goModulePath(folder)
  const suffix = moduleSuffix(version)
  if (!hasSuffix(path, suffix)) throw new Error(`The module path ${path} does not fit version ${version} ("${suffix}")`)
  const files = (await command('git', ['ls-files', '-z'], { cwd: folder })).split('\0').filter(Boolean)
  const prefix = `${path}@v${version}/`
  const zip = zipOf(files.map((file) => ({ name: prefix + file, content: readFileSync(join(folder, file)) })))
  const proxy = join(out, 'go', path, '@v')
  mkdirSync(proxy, { recursive: true })
  const write = (name: string, content: string | Buffer): void => writeFileSync(join(proxy, name), content)
  write('list', `v${version}\n`)
  write(`v${version}.info`, `${JSON.stringify({ Version: `v${version}` })}\n`)
  write(`v${version}.mod`, readFileSync(join(folder, 'go.mod')))
  write(`v${version}.zip`, zip)
  const purl = `pkg:golang/${path}@v${version}`
  return [{ kind: 'go', name: path, version: `v${version}`, purl, file: join('go', path, '@v', `v${version}.zip`) }]
}
