import type { CreateConnector, Connector as WireConnector } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { ToolState } from './toolbox.ts'

/** A connector as stored; the credential is sealed. */
export type Connector = {
  id: string
  name: string
  url: string
  auth_type: 'none' | 'bearer' | 'header'
  auth_header: string | null
  credential: Buffer | null
  credential_hint: string | null
  created_at: Date
  created_by: string
  created_by_type: 'key' | 'user'
  /** Who changed the address last; null: nobody. */
  moved_by: string | null
  moved_by_type: 'key' | 'user' | null
  tools_listed_at: Date | null
  /** Why the tools could not be listed when the connector was added or its address was changed. */
  tools_error: string | null
  /** The stored list of tools may be used without asking the server. */
  tools_are_fresh: boolean
  /** The number of tools by state, where it was read. */
  tools: Partial<Record<ToolState, number>>
}

/** What a request says about a connector; everything else follows from the server. */
export type ConnectorContent = Pick<
  Connector,
  'id' | 'name' | 'url' | 'auth_type' | 'auth_header' | 'credential' | 'credential_hint'
>

export const toWireConnector = (connector: Connector, status: WireConnector['status'] = 'active'): WireConnector => ({
  id: fromUuid('con', connector.id),
  object: 'connector',
  name: connector.name,
  url: connector.url,
  auth: { type: connector.auth_type, header: connector.auth_header, hint: connector.credential_hint },
  status,
  tools: { approved: 0, pending: 0, changed: 0, gone: 0, ...connector.tools },
  tools_listed_at: connector.tools_listed_at?.toISOString() ?? null,
  tools_error: connector.tools_error,
  created_by: actorId(connector.created_by_type, connector.created_by),
  created_at: connector.created_at.toISOString(),
  moved_by: connector.moved_by === null ? null : actorId(connector.moved_by_type, connector.moved_by),
})

const actorId = (type: 'key' | 'user' | null, uuid: string) => fromUuid(type === 'user' ? 'usr' : 'key', uuid)

export const credentialOf = (auth: CreateConnector['auth']): string | null => {
  if (auth?.type === 'bearer') return auth.token
  return auth?.type === 'header' ? auth.value : null
}

/** The last characters of a short credential would reveal too much of it. */
export const credentialHintOf = (credential: string): string | null =>
  credential.length < hintedCredentialChars ? null : `…${credential.slice(-4)}`

const hintedCredentialChars = 20

/** The header that carries the credential. */
export const authHeaders = (
  { auth_type, auth_header }: Pick<Connector, 'auth_type' | 'auth_header'>,
  credential: string | null,
): Record<string, string> => {
  if (credential === null) return {}
  return auth_type === 'header' && auth_header !== null
    ? { [auth_header.toLowerCase()]: credential }
    : { authorization: `Bearer ${credential}` }
}

/** The facts for the audit log, which are kept for ever: no credential, and no query string, which may contain one. */
export const connectorAuditFacts = ({
  name,
  url,
  auth_type,
  auth_header,
}: ConnectorContent): Readonly<Record<string, unknown>> => ({
  name,
  url: url.replace(/[?#].*$/s, ''),
  auth: { type: auth_type, header: auth_header },
})

/**
 * The seal context of a credential: this row, and the URL and header with which it is sent. An attacker with write
 * access to the database still cannot have it sent elsewhere.
 */
export const sealContextOf = ({ id, url, auth_header }: Pick<Connector, 'id' | 'url' | 'auth_header'>): string =>
  JSON.stringify(['connectors', id, url, auth_header])
