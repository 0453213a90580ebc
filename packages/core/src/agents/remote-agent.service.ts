import type { Database } from '@ars/platform/db/database'
import { EnvelopeError } from '@ars/platform/envelope'
import { newSigningSecret } from '@ars/platform/signature'
import { credentialHintOf, credentialOf } from '../connectors/index.ts'
import { Fault } from '../fault.ts'
import type { SecretService } from '../secrets/index.ts'
import { findAgentSecrets } from './agent.store.ts'
import type { NewAuth } from './remote-agent.ts'
import { type RemoteConfig, type RemoteSecrets, secretsSealContext, toRemoteConfig } from './remote-agent.ts'

/** What a request says of a remote agent: nothing where it leaves a field out; null, for `auth`, that there is none. */
export type RemoteWishes = { url?: string | undefined; auth?: NewAuth | null | undefined }

type Deps = { app: Database; secrets: Pick<SecretService, 'open' | 'seal'> }

/** The configuration of a new remote agent, and its secrets: sealed, and the one that is shown once. */
export const sealNewRemote = async (
  { secrets }: Pick<Deps, 'secrets'>,
  org: string,
  { id, url, auth }: { id: string; url: string; auth: NewAuth | null | undefined },
): Promise<{ config: RemoteConfig; sealed: Buffer; signingSecret: string }> => {
  const credential = credentialOf(auth ?? none)
  const config = toRemoteConfig({ url, auth: auth ?? none }, credential === null ? null : credentialHintOf(credential))
  const signingSecret = newSigningSecret()
  const kept: RemoteSecrets = { signing_secret: signingSecret, credential }
  return {
    config,
    sealed: await secrets.seal(org, JSON.stringify(kept), secretsSealContext(id, config)),
    signingSecret,
  }
}

/**
 * A remote agent with another address or another credential; the signing secret stays. Null: it would be the same. An
 * address alone does not take the credential along: it would be shown to a host that it was not given for.
 */
export const sealChangedRemote = async (
  deps: Deps,
  org: string,
  agent: { id: string; version: number; config: RemoteConfig },
  wishes: RemoteWishes,
): Promise<{ config: RemoteConfig; sealed: Buffer } | null> => {
  const { id, config: shown } = agent
  const url = wishes.url ?? shown.url
  if (wishes.auth === undefined && url === shown.url) return null
  if (wishes.auth === undefined && shown.auth.type !== 'none') {
    const message =
      'must be given again with another url: the credential is not sent to a host that it was not given for'
    throw new Fault('config_invalid', `config.auth: ${message}`, {
      param: 'config.auth',
      details: [{ param: 'config.auth', message }],
    })
  }
  const kept = await openRemoteSecrets(deps, org, agent)
  const auth = wishes.auth ?? none
  const credential = credentialOf(auth)
  const config = toRemoteConfig({ url, auth }, credential === null ? null : credentialHintOf(credential))
  const isSame = url === shown.url && config.auth.type === shown.auth.type && config.auth.header === shown.auth.header
  if (isSame && credential === kept.credential) return null
  const next: RemoteSecrets = { signing_secret: kept.signing_secret, credential }
  return { config, sealed: await deps.secrets.seal(org, JSON.stringify(next), secretsSealContext(id, config)) }
}

/** The secrets cannot be had, and no repetition will change that. */
export class SecretsLost extends Error {
  override readonly name = 'SecretsLost'
}

/** Throws SecretsLost; what the database throws is passed on, because it may be back in a moment. */
export const openRemoteSecrets = async (
  { app, secrets }: { app: Database; secrets: Pick<SecretService, 'open'> },
  org: string,
  { id, version, config }: { id: string; version: number; config: RemoteConfig },
): Promise<RemoteSecrets> => {
  const sealed = await findAgentSecrets(app, org, id, version)
  if (!sealed) throw new SecretsLost('The agent has no signing secret')
  try {
    return JSON.parse(await secrets.open(org, sealed, secretsSealContext(id, config))) as RemoteSecrets
  } catch (error) {
    const isFinal = error instanceof EnvelopeError || error instanceof Fault
    throw isFinal ? new SecretsLost('The secrets of the agent do not open', { cause: error }) : error
  }
}

const none: NewAuth = { type: 'none' }
