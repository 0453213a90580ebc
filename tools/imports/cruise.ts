import { existsSync } from 'node:fs'
import { createRequire, registerHooks } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { IConfiguration, ICruiseOptions, ICruiseResult } from 'dependency-cruiser'

// dependency-cruiser looks for TypeScript while it loads. From its own folder it would find the workspace's TypeScript 7,
// which has no JavaScript API, and would silently see no TypeScript file. It gets the TypeScript 5 of this package.
const require = createRequire(import.meta.url)
registerHooks({
  resolve(specifier, context, nextResolve) {
    const isTypeScript = specifier === 'typescript' || specifier === 'typescript/package.json'
    if (!isTypeScript || !context.parentURL?.includes('/node_modules/dependency-cruiser/')) {
      return nextResolve(specifier, context)
    }
    return { url: pathToFileURL(require.resolve(specifier)).href, shortCircuit: true }
  },
})

export const repositoryRoot = join(import.meta.dirname, '../..')

/** What the import rules say about one tree. */
export type Verdict = {
  /** Names of the broken rules, each once, in alphabetical order. */
  broken: string[]
  /** The violations in words, empty when there are none. */
  report: string
  /** Imports of our own files that lead nowhere. No rule can see through them, so they are an error of their own. */
  unresolved: string[]
  /** How many files were read and how many imports between them were followed. */
  files: number
  imports: number
}

/** Judges all source below `root` by the rules of `.dependency-cruiser.mjs`. */
export const cruiseTree = async (root: string = repositoryRoot): Promise<Verdict> => {
  const { allExtensions, cruise, format } = await import('dependency-cruiser')
  if (!allExtensions.some(({ extension, available }) => extension === '.ts' && available)) {
    throw new Error(
      'dependency-cruiser found no TypeScript it can use, so it would see no file and every rule would pass',
    )
  }

  const { options = {}, ...ruleSet } = await readRules()
  const roots = ['packages', 'apps', 'sdks', 'tools', 'proof'].filter((folder) => existsSync(join(root, folder)))
  const { output } = await cruise(roots, { ...(options as ICruiseOptions), validate: true, ruleSet, baseDir: root })
  const result = output as ICruiseResult

  const { violations } = result.summary
  const { output: report } = violations.length > 0 ? await format(result, { outputType: 'err-long' }) : { output: '' }
  return {
    broken: [...new Set(violations.map((violation) => violation.rule.name))].sort(),
    report: String(report),
    unresolved: unresolvedImports(result),
    files: result.modules.filter((module) => !module.coreModule && !module.source.includes('node_modules')).length,
    imports: result.summary.totalDependenciesCruised ?? 0,
  }
}

/** The rules as they stand at the root of the repository. */
export const readRules = async (): Promise<IConfiguration> => {
  const { default: rules } = await import(pathToFileURL(join(repositoryRoot, '.dependency-cruiser.mjs')).href)
  return rules
}

const unresolvedImports = (result: ICruiseResult): string[] =>
  result.modules.flatMap(({ source, dependencies }) =>
    dependencies
      .filter(
        ({ couldNotResolve, module }) => couldNotResolve && (module.startsWith('.') || module.startsWith('@ars/')),
      )
      .map(({ module }) => `${source} imports ${module}`),
  )
