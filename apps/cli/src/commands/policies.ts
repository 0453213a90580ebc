import { type Command, Option } from 'commander'
import { findAgentId } from '../agent-name.ts'
import { withExamples } from '../describe.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { acting, type Session } from '../session.ts'
import { addTrialCommands } from './policy-trials.ts'

const examplePolicy = 'pol_01kf3xw0fqe1vrr9m8sdv2wbx4'

/** Lists of policies and templates, and where a policy works. The other commands follow from the operations of the API. */
export const addPolicies = (program: Command): void => {
  const policies = withExamples(
    program.command('policies').description('manage the rules for what enters and leaves runs'),
    'ars policies create --template pii-redact',
    `ars policies attach ${examplePolicy} billing-assistant`,
  )
  withExamples(
    withPaging(policies.command('list').description('list policies'))
      .addOption(new Option('--status <status>', 'only those').choices(['active', 'ended', 'archived']))
      .action(acting(listPolicies)),
    'ars policies list',
    'ars policies list --status active',
  )
  withExamples(
    withPaging(policies.command('templates').description('list templates of policies')).action(acting(listTemplates)),
    'ars policies templates',
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

type Status = 'active' | 'ended' | 'archived'

const listPolicies = async ({ terminal, client, signal }: Session, options: PageOptions & { status?: Status }) => {
  const asked = { ...pageOf(options), ...(options.status && { status: options.status }) }
  await tellPage(terminal, await client().policies.list(asked, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      STATUS: ({ status }) => status,
      MODE: ({ mode }) => mode,
      VERSION: ({ version }) => String(version),
      RULES: ({ rules }) => String(rules.length),
      NAME: ({ name }) => name,
    },
    nothing: 'No policies found. Create one with: ars policies create --template pii-redact',
  })
  return undefined
}

const listTemplates = async ({ terminal, client, signal }: Session, options: PageOptions) => {
  await tellPage(terminal, await client().policyTemplates.list(pageOf(options), { signal }), {
    all: options.all,
    columns: {
      KEY: ({ key }) => key,
      NAME: ({ name }) => name,
      PARAMS: ({ params }) => params.map(({ name, required }) => (required ? name : `[${name}]`)).join(' '),
    },
    nothing: 'No templates found.',
  })
  return undefined
}

const attach = async (
  session: Session,
  policy: string,
  subject: string,
  { newRunsOnly = false }: { newRunsOnly?: boolean },
) => {
  const { terminal, client, signal } = session
  const body = { subject_id: await subjectIdOf(session, subject), new_runs_only: newRunsOnly }
  const attached = await client().policies.attach(policy, body, { signal })
  terminal.result(attached, () => `${attached.policy_id} is attached to ${attached.subject_id} (${attached.id}).`)
  return undefined
}

const subjectIdOf = async ({ client, signal }: Session, subject: string): Promise<string> => {
  if (subject === 'organisation') return (await client().organisation.get({ signal })).id
  return /^(org|key)_/.test(subject) ? subject : findAgentId(client(), subject, signal)
}
