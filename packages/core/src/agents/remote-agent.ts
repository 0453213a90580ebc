import type { CreateConnector } from '@ars/contract'

/** The credential of a remote agent, as submitted. */
export type NewAuth = NonNullable<CreateConnector['auth']>

/** `config` of a remote agent. Every reader of the agent sees it, so it contains no credential. */
export type RemoteConfig = { url: string; auth: RemoteAuth }

export type RemoteAuth = { type: 'none' | 'bearer' | 'header'; header: string | null; hint: string | null }

/** The secrets that are sealed separately. */
export type RemoteSecrets = { signing_secret: string; credential: string | null }

export const toRemoteConfig = ({ url, auth }: { url: string; auth: NewAuth }, hint: string | null): RemoteConfig => ({
  url,
  auth: { type: auth.type, header: auth.type === 'header' ? auth.header.toLowerCase() : null, hint },
})

/** Null: the agent is not a remote agent. */
export const readRemoteConfig = (config: Readonly<Record<string, unknown>>): RemoteConfig | null => {
  const { url, auth } = config as Partial<RemoteConfig>
  return typeof url === 'string' && typeof auth === 'object' && auth !== null ? { url, auth } : null
}

/**
 * The context that the secrets are sealed for: this agent, and the address and header that they are sent with. Write
 * access to the database is not enough to send them elsewhere.
 */
export const secretsSealContext = (id: string, { url, auth }: RemoteConfig): string =>
  JSON.stringify(['agents', id, url, auth.header])
