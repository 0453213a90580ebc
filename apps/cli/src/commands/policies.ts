import type { Command } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { acting, type Session } from '../session.ts'
import { findPolicyId } from '../thing-ids.ts'
import { addTrialCommands } from './policy-trials.ts'

const examplePolicy = 'pol_01kf3xw0fqe1vrr9m8sdv2wbx4'

/** Where a policy works, and its trials. The other commands follow from the operations of the API. */
export const addPolicies = (program: Command): void => {
  const policies = withExamples(
    program.command('policies').description('manage the rules for what enters and leaves runs'),
    'ars policies create --template pii-redact',
    `ars policies attach ${examplePolicy} billing-assistant`,
  )
  withExamples(
    policies
      .command('attach <policy> <subject>')
      .description('attach a policy to an agent by id or name, an API key by id, or the `organisation`')
      .option('--new-runs-only', 'runs that were accepted before are not affected')
      .action(acting(attach)),
    `ars policies attach ${examplePolicy} organisation`,
    `ars policies attach ${examplePolicy} billing-assistant --new-runs-only`,
  )
  addTrialCommands(policies)
}

const attach = async (
  session: Session,
  policy: string,
  subject: string,
  { newRunsOnly = false }: { newRunsOnly?: boolean },
) => {
  const { terminal, client, signal } = session
  const id = await findPolicyId(client(), policy, signal)
  const body = { subject_id: await subjectIdOf(session, subject), new_runs_only: newRunsOnly }
  const attached = await client().policies.attach(id, body, { signal })
  terminal.result(attached, () => `${attached.policy_id} is attached to ${attached.subject_id} (${attached.id}).`)
  return undefined
}

const subjectIdOf = async ({ client, signal }: Session, subject: string): Promise<string> => {
  if (subject === 'organisation') return (await client().organisation.get({ signal })).id
  return /^(org|key)_/.test(subject) ? subject : findAgentId(client(), subject, signal)
}
