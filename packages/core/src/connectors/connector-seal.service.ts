import type { CreateConnector } from '@ars/contract'
import type { SecretService } from '../secrets/index.ts'
import { type ConnectorContent, credentialHintOf, credentialOf, sealContextOf } from './connector.ts'

type SealedAuth = Pick<ConnectorContent, 'auth_type' | 'auth_header' | 'credential' | 'credential_hint'>

/** The columns of an authentication. The credential is sealed for this row, address and header. */
export const sealedAuth = async (
  secrets: SecretService,
  org: string,
  { id, url, auth }: { id: string; url: string; auth: CreateConnector['auth'] },
): Promise<SealedAuth> => {
  const credential = credentialOf(auth)
  const auth_header = auth?.type === 'header' ? auth.header.toLowerCase() : null
  return {
    auth_type: auth?.type ?? 'none',
    auth_header,
    credential:
      credential === null ? null : await secrets.seal(org, credential, sealContextOf({ id, url, auth_header })),
    credential_hint: credential === null ? null : credentialHintOf(credential),
  }
}
