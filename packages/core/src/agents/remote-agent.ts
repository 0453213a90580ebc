import type { CreateConnector } from '@ars/contract'

/** The credential of a remote agent, as submitted. */
export type NewAuth = NonNullable<CreateConnector['auth']>

/** `config` of a remote agent. Every reader of the agent sees it, so it contains no credential. */
export type RemoteConfig = { url: string; auth: RemoteAuth }

export type RemoteAuth = { type: 'none' | 'bearer' | 'header'; header: string | null; hint: string | null }

/** The secrets that are sealed with a version. */
export type VersionSecrets = { signing_secret: string; credential: string | null }

/** The secrets of a call: `old_signing_secret` signs too, for a time after its replacement. */
export type RemoteSecrets = VersionSecrets & { old_signing_secret?: string }

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

/** A replaced signing secret is sent nowhere, so it is bound to the agent only. */
export const signingSecretSealContext = (id: string): string => JSON.stringify(['agents.signing_secret', id])
