import { createRequire, registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'

/**
 * Lets dependency-cruiser find a TypeScript that it can use. It looks for `typescript` from its own folder, where a strict
 * install holds none, and then meets the workspace's TypeScript 7, which has no JavaScript API: it would go on in silence
 * and see no TypeScript file at all. This package has its own TypeScript 5, so that is what it gets.
 */
export const lendTypeScriptToCruiser = (): void => {
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
}
