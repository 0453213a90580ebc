import type { CreateConnector } from '@ars/contract'

/** How a remote agent is shown a credential, as it is handed in. */
export type NewAuth = NonNullable<CreateConnector['auth']>

/** `config` of a remote agent. Everybody who may read the agent sees it, so no credential is in it. */
export type RemoteConfig = { url: string; auth: RemoteAuth }

export type RemoteAuth = { type: 'none' | 'bearer' | 'header'; header: string | null; hint: string | null }

/** What is sealed beside it. */
export type RemoteSecrets = { signing_secret: string; credential: string | null }

export const toRemoteConfig = ({ url, auth }: { url: string; auth: NewAuth }, hint: string | null): RemoteConfig => ({
  url,
  auth: { type: auth.type, header: auth.type === 'header' ? auth.header.toLowerCase() : null, hint },
})

/** Null: the agent was not made as a remote one. */
export const readRemoteConfig = (config: Readonly<Record<string, unknown>>): RemoteConfig | null => {
  const { url, auth } = config as Partial<RemoteConfig>
  return typeof url === 'string' && typeof auth === 'object' && auth !== null ? { url, auth } : null
}

/**
 * What the secrets are sealed for: this agent, and the address and header that they are sent with. Whoever can write to
 * the database still cannot have them sent elsewhere.
 */
export const secretsPlaceOf = (id: string, { url, auth }: RemoteConfig): string =>
  JSON.stringify(['agents', id, url, auth.header])
