import { Fault } from '../fault.ts'
import { faultOfEvents, faultOfSecret, isSameServer } from './webhook.ts'
import type { WebhookDeps } from './webhook-parts.service.ts'

/** The names, each once. */
export const requireEvents = (names: readonly string[]): string[] => {
  const fault = faultOfEvents(names)
  if (fault) throw new Fault('event_unknown', fault.message, { param: fault.param, details: [fault] })
  return [...new Set(names)]
}

export const requireSecret = (secret: string): string => {
  const message = faultOfSecret(secret)
  if (message !== null) throw new Fault('secret_invalid', message, { param: 'secret' })
  return secret
}

/** The name is looked up, so a host that cannot be reached is told at once. Every attempt judges it again. */
export const requireTarget = async ({ egress, ownUrl }: Pick<WebhookDeps, 'egress' | 'ownUrl'>, url: string) => {
  const refused = (reason: string) => new Fault('url_not_allowed', reason, { param: 'url' })
  // Before the look-up: on an inner network our own name may lead to a private address, and then this is the better word.
  if (URL.canParse(url) && isSameServer(new URL(url), ownUrl)) {
    throw refused('This is the address of the service itself, which would tell itself of its own events')
  }
  const verdict = await egress.checkTarget(url)
  if (!verdict.ok) throw refused(verdict.reason)
}
