import { Fault } from '../../fault.ts'
import { faultOfEvents, faultOfSecret, isSameServer } from '../webhook/webhook.ts'
import type { WebhookDeps } from '../webhook/webhook-parts.service.ts'

/** The names without duplicates. */
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

/** The name is resolved, so that an unreachable host is reported at once. Every attempt checks it again. */
export const requireTarget = async ({ egress, ownUrl }: Pick<WebhookDeps, 'egress' | 'ownUrl'>, url: string) => {
  const refused = (reason: string) => new Fault('url_not_allowed', reason, { param: 'url' })
  // Before the lookup: on an internal network our own name may resolve to a private address, and this message is the
  // better one.
  if (URL.canParse(url) && isSameServer(new URL(url), ownUrl)) {
    throw refused('This URL belongs to the service itself. Use a URL of your own server.')
  }
  const verdict = await egress.checkTarget(url)
  if (!verdict.ok) throw refused(verdict.reason)
}
