import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { command } from './command.ts'

const changeset = join(import.meta.dirname, '../../node_modules/.bin/changeset')
const sdkPackage = 'sdks/typescript/package.json'
const contractFile = 'packages/contract/src/index.ts'
const versionConstant = /(?<=^export const apiVersion = ')[^']+(?=')/m

/**
 * Applies the changesets in .changeset/: all packages get the next version, and with them the API and the SDKs that are
 * generated from its contract. Returns the version.
 */
export const bump = async (root: string): Promise<string> => {
  await command(changeset, ['version'], { cwd: root })
  const { version } = JSON.parse(readFileSync(join(root, sdkPackage), 'utf8'))
  // The root is no member of the workspace, and the contract is code.
  replace(join(root, 'package.json'), /(?<=^ {2}"version": ")[^"]+(?=")/m, version)
  replace(join(root, contractFile), versionConstant, version)
  checkGoModule(root, version)
  return version
}

const replace = (file: string, pattern: RegExp, version: string): void => {
  const text = readFileSync(file, 'utf8')
  if (!pattern.test(text)) throw new Error(`${file} has no version`)
  writeFileSync(file, text.replace(pattern, version))
}

/** A new major version of a Go module has another path, in every import. */
const checkGoModule = (root: string, version: string): void => {
  const file = join(root, 'sdks/go/go.mod')
  const suffix = `/v${version.split('.')[0]}`
  if (!existsSync(file) || readFileSync(file, 'utf8').split('\n')[0]?.endsWith(suffix)) return
  throw new Error(`Change the module path in sdks/go/go.mod, and its imports, so that it ends with ${suffix}`)
}
