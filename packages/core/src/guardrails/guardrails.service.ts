import type { Clock } from '@ars/platform/clock'
import type { Database } from '@ars/platform/db/database'
import type { Egress } from '@ars/platform/egress/egress'
import type { ThreadPool } from '@ars/platform/thread-pool'
import type { ModelService } from '../models/index.ts'
import type { Schemas } from '../schemas/index.ts'
import type { SecretService } from '../secrets/index.ts'
import { createExpressions } from './expression/expression.service.ts'
import { createGuards, type Guards } from './guard/guards.service.ts'
import type { CheckResult } from './guard/judge.service.ts'
import { createSpanFinder } from './guard/span-finder.service.ts'
import { findCredential } from './policy/rule-credential.service.ts'
import { createRemoteChecks, type RemoteCheckCall } from './remote/remote.service.ts'
import type { RemoteRule } from './remote/remote.ts'
import type { TrialChecks } from './trial/trial-judge.service.ts'

type Deps = {
  app: Database
  threads: Pick<ThreadPool, 'run'>
  clock: Clock
  schemas: Pick<Schemas, 'check'>
  egress: Pick<Egress, 'request'>
  models: Pick<ModelService, 'call'>
  secrets: Pick<SecretService, 'open'>
  /** For the metrics. */
  onRemoteCheck?: ((call: RemoteCheckCall) => void) | undefined
}

/** The checks, for runs and for trials on past runs. */
export const createChecks = ({
  app,
  secrets,
  threads,
  clock,
  schemas,
  egress,
  models,
  onRemoteCheck,
}: Deps): TrialChecks => {
  const expressions = createExpressions({ threads })
  const remote = createRemoteChecks({ egress, models, clock, ...(onRemoteCheck && { onCall: onRemoteCheck }) })
  return {
    clock,
    schemas,
    findSpans: createSpanFinder({ threads }),
    evaluate: async (org, expression, facts): Promise<CheckResult> => {
      const outcome = await expressions.evaluate(org, expression, facts)
      if (outcome.kind === 'error') return outcome
      return outcome.value ? { kind: 'violation', reason: '' } : { kind: 'pass' }
    },
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
