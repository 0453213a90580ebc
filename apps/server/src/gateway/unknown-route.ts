import { apiBasePath, contract, type Operation } from '@ars/contract'
import { Fault } from '@ars/core/fault'

/** A path that exists with another method is 405 and says which; any other is 404. */
export const refuseUnknownRoute = (
  method: string,
  url: string,
  reply: { header(name: string, value: string): unknown },
): Fault => {
  const path = url.split('?', 1)[0] ?? ''
  const allowed = patterns.filter(({ pattern }) => pattern.test(path)).map((known) => known.method)
  if (allowed.length === 0) return new Fault('not_found', `There is nothing at ${path.slice(0, 200)}`)
  reply.header('allow', [...new Set(allowed)].join(', '))
  return new Fault('method_not_allowed', `${method} is not a method of ${path.slice(0, 200)}`)
}

const patterns = Object.values(contract)
  .flatMap((operations) => Object.values<Operation>(operations))
  .map(({ method, path }) => ({
    method,
    pattern: new RegExp(`^${apiBasePath}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
  }))
