import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { ThreadPool } from '@ars/platform/thread-pool'
import type { ModelService } from '../models/index.ts'
import type { SecretService } from '../secrets/index.ts'
import { createContentChecks } from './guard/content-checks.service.ts'
import { createGuards, type Guards } from './guard/guards.service.ts'
import { findCredential } from './policy/rule-credential.service.ts'
import { createRemoteChecks, type RemoteCheckCall } from './remote/remote.service.ts'
import type { RemoteRule } from './remote/remote.ts'
import type { TrialChecks } from './trial/trial-judge.service.ts'

type Deps = {
  app: Database
  threads: Pick<ThreadPool, 'run'>
  clock: Clock
  egress: Pick<Egress, 'request'>
  models: Pick<ModelService, 'call'>
  secrets: Pick<SecretService, 'open'>
  /** For the metrics. */
  onRemoteCheck?: ((call: RemoteCheckCall) => void) | undefined
}

/** The checks, for runs and for trials on past runs. */
export const createChecks = ({ app, secrets, threads, clock, egress, models, onRemoteCheck }: Deps): TrialChecks => {
  const remote = createRemoteChecks({ egress, models, clock, ...(onRemoteCheck && { onCall: onRemoteCheck }) })
  return {
    clock,
    checkContent: createContentChecks({ threads, clock }),
    judgeRemotely: async (rule, { signal = noSignal, ...asked }) => {
      const found = await findCredential({ app, secrets }, asked.org, rule)
      if (found.kind === 'lost') return { kind: 'error', message: 'The credential of the rule cannot be opened' }
      const credential = found.kind === 'found' ? found.credential : undefined
      return remote.judge(rule as RemoteRule, { ...asked, signal, credential })
    },
  }
}

/** The one tier that everything passes on its way into a run and out of it. */
export const createGuardrails = (deps: Deps): Guards => createGuards({ ...createChecks(deps), app: deps.app })

const noSignal = new AbortController().signal
