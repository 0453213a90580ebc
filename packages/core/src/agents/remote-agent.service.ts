import type { Database } from '@ars/platform/db/database'
import { EnvelopeError } from '@ars/platform/envelope'
import { newSigningSecret } from '@ars/platform/signature'
import { credentialHintOf, credentialOf } from '../connectors/index.ts'
import { Fault } from '../fault.ts'
import type { SecretService } from '../secrets/index.ts'
import { findAgentSecrets, type SealedSecrets } from './agent.store.ts'
import type { NewAuth } from './remote-agent.ts'
import {
  type RemoteConfig,
  type RemoteSecrets,
  secretsSealContext,
  signingSecretSealContext,
  toRemoteConfig,
  type VersionSecrets,
} from './remote-agent.ts'

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
  const kept: VersionSecrets = { signing_secret: signingSecret, credential }
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
  const kept = await openVersionSecrets(deps, org, agent, await findSealed(deps, org, agent))
  const auth = wishes.auth ?? none
  const credential = credentialOf(auth)
  const config = toRemoteConfig({ url, auth }, credential === null ? null : credentialHintOf(credential))
  const isSame = url === shown.url && config.auth.type === shown.auth.type && config.auth.header === shown.auth.header
  if (isSame && credential === kept.credential) return null
  const next: VersionSecrets = { signing_secret: kept.signing_secret, credential }
  return { config, sealed: await deps.secrets.seal(org, JSON.stringify(next), secretsSealContext(id, config)) }
}

/** The secrets cannot be had, and no repetition will change that. */
export class SecretsLost extends Error {
  override readonly name = 'SecretsLost'
}

type Opening = { app: Database; secrets: Pick<SecretService, 'open'> }
type OfVersion = { id: string; version: number; config: RemoteConfig }

/** Throws SecretsLost. Errors of the database are passed on, because it may be back soon. */
export const openRemoteSecrets = async (deps: Opening, org: string, agent: OfVersion): Promise<RemoteSecrets> => {
  const sealed = await findSealed(deps, org, agent)
  const ofVersion = await openVersionSecrets(deps, org, agent, sealed)
  if (sealed.signing_secret === null) return ofVersion
  const context = signingSecretSealContext(agent.id)
  const signing_secret = await open(deps, org, sealed.signing_secret, context)
  if (!sealed.overlaps) return { ...ofVersion, signing_secret }
  const old = sealed.old_signing_secret
  const old_signing_secret = old === null ? ofVersion.signing_secret : await open(deps, org, old, context)
  return { ...ofVersion, signing_secret, old_signing_secret }
}

const findSealed = async ({ app }: Pick<Opening, 'app'>, org: string, { id, version }: OfVersion) => {
  const sealed = await findAgentSecrets(app, org, id, version)
  if (!sealed) throw new SecretsLost('The agent has no signing secret')
  return sealed
}

const openVersionSecrets = async (
  deps: Opening,
  org: string,
  { id, config }: OfVersion,
  { secrets }: SealedSecrets,
): Promise<VersionSecrets> => {
  if (!secrets) throw new SecretsLost('The agent has no signing secret')
  return JSON.parse(await open(deps, org, secrets, secretsSealContext(id, config))) as VersionSecrets
}

const open = async ({ secrets }: Pick<Opening, 'secrets'>, org: string, sealed: Buffer, context: string) => {
  try {
    return await secrets.open(org, sealed, context)
  } catch (error) {
    const isFinal = error instanceof EnvelopeError || error instanceof Fault
    throw isFinal ? new SecretsLost('The secrets of the agent do not open', { cause: error }) : error
  }
}

const none: NewAuth = { type: 'none' }
