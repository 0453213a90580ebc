import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from './command.ts'
import { goModulePath, hasSuffix, moduleSuffix } from './go-module.ts'

const changeset = join(import.meta.dirname, '../../node_modules/.bin/changeset')
const sdkPackage = 'sdks/typescript/package.json'

/**
 * Applies the changesets in .changeset/: all packages get the next version. That of the API stands in the contract and is
 * raised by hand. Returns the version of the packages.
 */
export const bump = async (root: string): Promise<string> => {
  await command(changeset, ['version'], { cwd: root })
  const { version } = JSON.parse(readFileSync(join(root, sdkPackage), 'utf8'))
  // The root is no member of the workspace.
  replace(join(root, 'package.json'), /(?<=^ {2}"version": ")[^"]+(?=")/m, version)
  checkGoModule(root, version)
  return version
}

const replace = (file: string, pattern: RegExp, version: string): void => {
  const text = readFileSync(file, 'utf8')
  if (!pattern.test(text)) throw new Error(`${file} has no version`)
  writeFileSync(file, text.replace(pattern, version))
}

/** From version 2 on, a new major version of a Go module has another path, in every import. */
const checkGoModule = (root: string, version: string): void => {
  const file = join(root, 'sdks/go/go.mod')
  const suffix = moduleSuffix(version)
  if (!existsSync(file) || hasSuffix(goModulePath(join(root, 'sdks/go')), suffix)) return
  const how = suffix === '' ? 'has no /v<major> at its end' : `ends with ${suffix}`
  throw new Error(`Change the module path in sdks/go/go.mod, and its imports, so that it ${how}`)
}
