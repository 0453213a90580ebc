import { apiBasePath, contract, type Operation } from '@ars/contract'
import type { Refusal } from './admission.ts'
import type { Head } from './head.ts'

/** A path that exists with another method is 405 and says which; any other is 404, or 400 if it cannot be read. */
export const refuseUnknownRoute = (method: string, url: string, head: Head): Refusal => {
  const path = pathOf(url)
  const shown = path.slice(0, 200)
  const named = routes.filter((route) => route.path === path)
  const allowed = (named.length > 0 ? named : routes.filter(({ pattern }) => pattern.test(path))).flatMap<string>(
    (route) => route.methods,
  )
  if (allowed.length === 0) return { code: 'not_found', message: `There is nothing at ${shown}` }
  if (allowed.includes(method)) return { code: 'invalid_request', message: brokenPath }
  head.allow = [...new Set(allowed)].join(', ')
  return { code: 'method_not_allowed', message: `${method} is not a method of ${shown}` }
}

/** `/runs/stream` would do for the id of a run, and has a meaning of its own. */
export const isNamedPath = (url: string): boolean => namedPaths.has(pathOf(url))

export const brokenPath = 'The path holds a percent sign that encodes nothing'

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''

const routes = Object.values(contract)
  .flatMap((operations) => Object.values<Operation>(operations))
  .flatMap(({ method, path, crossOrigin, alsoAtRoot }) =>
    (alsoAtRoot ? [apiBasePath, ''] : [apiBasePath]).map((base) => ({
      methods: crossOrigin ? [method, 'OPTIONS'] : [method],
      path: base + path,
      pattern: new RegExp(`^${base}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )

const namedPaths = new Set(routes.map(({ path }) => path).filter((path) => !path.includes('{')))
