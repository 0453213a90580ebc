import { apiBasePath, contract, type Operation } from '@ars/contract'
import type { Refusal } from '../admit/admission.ts'
import type { ResponseHeaders } from './response-headers.ts'

/** 405 with `Allow` for a path that has other methods, 400 for a path that cannot be decoded, otherwise 404. */
export const refuseUnknownRoute = (method: string, url: string, responseHeaders: ResponseHeaders): Refusal => {
  const path = pathOf(url)
  const shown = path.slice(0, 200)
  const allowed = methodsAt(path)
  if (allowed.length === 0)
    return { code: 'not_found', message: `No route matches ${method} ${shown}.${hintFor(path)}` }
  if (allowed.includes(method)) return { code: 'invalid_request', message: brokenPath }
  responseHeaders.allow = [...new Set(allowed)].join(', ')
  return { code: 'method_not_allowed', message: `${shown} does not support ${method}.` }
}

const methodsAt = (path: string): string[] => {
  const named = routes.filter((route) => route.path === path)
  const matching = named.length > 0 ? named : routes.filter(({ pattern }) => pattern.test(path))
  return matching.flatMap<string>(({ methods }) => methods)
}

const hintFor = (path: string): string => {
  const based = apiBasePath + path
  return based.length <= 200 && methodsAt(based).length > 0 ? ` Did you mean ${based}?` : ''
}

/** `/runs/stream` would match `/runs/{id}`, but it is a separate route. */
export const isNamedPath = (url: string): boolean => namedPaths.has(pathOf(url))

export const brokenPath = 'The path contains an invalid percent encoding.'

const pathOf = (url: string): string => url.split('?', 1)[0] ?? ''

const routes = Object.values(contract)
  .flatMap((operations) => Object.values<Operation>(operations))
  .flatMap(({ method, path, crossOrigin, alsoAtRoot }) =>
    (alsoAtRoot ? [apiBasePath, ''] : [apiBasePath]).map((base) => ({
      methods: [method, ...(method === 'GET' ? ['HEAD'] : []), ...(crossOrigin ? ['OPTIONS'] : [])],
      path: base + path,
      pattern: new RegExp(`^${base}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    })),
  )

const namedPaths = new Set(routes.map(({ path }) => path).filter((path) => !path.includes('{')))
