import type { CreateConnector, Connector as WireConnector } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'

/** A connector as the database keeps it; the credential is sealed. */
export type Connector = {
  id: string
  name: string
  url: string
  auth_type: 'none' | 'bearer' | 'header'
  auth_header: string | null
  credential: Buffer | null
  credential_hint: string | null
  created_at: Date
}

export const toWire = (connector: Connector, status: WireConnector['status'] = 'active'): WireConnector => ({
  id: fromUuid('con', connector.id),
  object: 'connector',
  name: connector.name,
  url: connector.url,
  auth: { type: connector.auth_type, header: connector.auth_header, hint: connector.credential_hint },
  status,
  created_at: connector.created_at.toISOString(),
})

export const credentialOf = (auth: CreateConnector['auth']): string | null => {
  if (auth?.type === 'bearer') return auth.token
  return auth?.type === 'header' ? auth.value : null
}

/** Of a short credential even the end would give too much away. */
export const hintOf = (credential: string): string | null =>
  credential.length < hintedCredentialChars ? null : `…${credential.slice(-4)}`

const hintedCredentialChars = 20

/** The header that shows who calls. */
export const authHeaders = (
  { auth_type, auth_header }: Pick<Connector, 'auth_type' | 'auth_header'>,
  credential: string | null,
): Record<string, string> => {
  if (credential === null) return {}
  return auth_type === 'header' && auth_header !== null
    ? { [auth_header.toLowerCase()]: credential }
    : { authorization: `Bearer ${credential}` }
}

/** What the audit log keeps of a connector, for ever: nothing of its credential, nor what people put into a query instead. */
export const auditFactsOf = ({ name, url, auth_type, auth_header }: Connector): Readonly<Record<string, unknown>> => ({
  name,
  url: url.replace(/[?#].*$/s, ''),
  auth: { type: auth_type, header: auth_header },
})

/**
 * What a credential is sealed for: this row, and the address and header that it is sent with. Whoever can write to the
 * database still cannot have it sent elsewhere.
 */
export const placeOf = ({ id, url, auth_header }: Pick<Connector, 'id' | 'url' | 'auth_header'>): string =>
  JSON.stringify(['connectors', id, url, auth_header])
