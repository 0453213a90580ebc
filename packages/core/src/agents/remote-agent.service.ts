import type { AgentId } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import { EnvelopeError, type Keyring } from '@ars/platform/envelope'
import { fromUuid, type IdMaker, toUuid } from '@ars/platform/id'
import { credentialOf, hintOf } from '../connectors/index.ts'
import { Fault } from '../fault.ts'
import { createSecrets, type SecretService } from '../secrets/index.ts'
import { findAgentSecrets, insertAgent } from './agent.store.ts'
import {
  type NewRemoteAgent,
  type RemoteConfig,
  type RemoteSecrets,
  secretsPlaceOf,
  toRemoteConfig,
} from './remote-agent.ts'
import { newSigningSecret } from './remote-signature.service.ts'

/** Shown once: the service itself only keeps it sealed. */
export type CreatedRemoteAgent = { id: AgentId; signing_secret: string }

export type RemoteAgentDeps = {
  app: Database
  newId: IdMaker
  egress: Pick<Egress, 'checkUrl'>
  keyring: Keyring | undefined
}

export const createRemoteAgent = async (
  deps: RemoteAgentDeps,
  org: string,
  body: NewRemoteAgent,
): Promise<CreatedRemoteAgent> => {
  const verdict = deps.egress.checkUrl(body.url)
  if (!verdict.ok) throw new Fault('url_not_allowed', verdict.reason, { param: 'url' })
  const id = toUuid(deps.newId('ag'))
  const credential = credentialOf(body.auth)
  const config = toRemoteConfig(body, credential === null ? null : hintOf(credential))
  const secrets: RemoteSecrets = { signing_secret: newSigningSecret(), credential }
  const sealed = await createSecrets(deps).seal(org, JSON.stringify(secrets), secretsPlaceOf(id, config))
  await insertAgent(deps.app, org, {
    id,
    name: body.name,
    description: null,
    kind: 'remote',
    source: 'custom',
    catalog_key: null,
    config,
    secrets: sealed,
  })
  return { id: fromUuid('ag', id), signing_secret: secrets.signing_secret }
}

/** The secrets cannot be had, and no repetition will change that. */
export class SecretsLost extends Error {
  override readonly name = 'SecretsLost'
}

/** Throws SecretsLost; what the database throws is passed on, because it may be back in a moment. */
export const openRemoteSecrets = async (
  { app, secrets }: { app: Database; secrets: Pick<SecretService, 'open'> },
  org: string,
  { id, config }: { id: string; config: RemoteConfig },
): Promise<RemoteSecrets> => {
  const sealed = await findAgentSecrets(app, org, id)
  if (!sealed) throw new SecretsLost('The agent has no signing secret')
  try {
    return JSON.parse(await secrets.open(org, sealed, secretsPlaceOf(id, config))) as RemoteSecrets
  } catch (error) {
    const isFinal = error instanceof EnvelopeError || error instanceof Fault
    throw isFinal ? new SecretsLost('The secrets of the agent do not open', { cause: error }) : error
  }
}
