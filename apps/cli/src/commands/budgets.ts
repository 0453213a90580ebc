import { type Command, Option } from 'commander'
import { withExamples } from '../describe.ts'
import { CommandError } from '../exit-code.ts'
import { acting, type Session } from '../session.ts'

export const addBudgets = (program: Command): void => {
  const group = program.command('budgets').description('show and set monthly budgets')
  const budgets = withExamples(group, 'ars budgets list')
  withExamples(
    budgets
      .command('set <subject>')
      .description('set the budget of an agent or an API key by its id, or of the `organisation`')
      .option('--usd <amount>', 'US dollars per calendar month, UTC', Number)
      .option('--none', 'remove the budget')
      .addOption(new Option('--action <action>', 'what happens at the budget').choices(['refuse', 'park', 'notify']))
      .action(acting(set)),
    'ars budgets set organisation --usd 500 --action notify',
    'ars budgets set ag_01kf3xw0fqe1vrr9m8sdv2wbx4 --usd 50 --action park',
  )
}

type Wanted = { usd?: number; none?: boolean; action?: 'refuse' | 'park' | 'notify' }

const set = async ({ terminal, client, signal }: Session, subject: string, { usd, none, action }: Wanted) => {
  const amount = none ? null : usd
  const body = {
    ...(amount !== undefined && { monthly_budget_usd: amount }),
    ...(action && { budget_action: action }),
  }
  const changed = await change(client(), subject, body, signal)
  terminal.result(changed, () =>
    changed.monthly_budget_usd === null
      ? `${subject} has no budget.`
      : `The budget of ${subject} is $${changed.monthly_budget_usd} a month (${changed.budget_action}).`,
  )
  return undefined
}

type Client = ReturnType<Session['client']>
type Body = { monthly_budget_usd?: number | null; budget_action?: 'refuse' | 'park' | 'notify' }

const change = (client: Client, subject: string, body: Body, signal: AbortSignal) => {
  if (subject === 'organisation' || subject.startsWith('org_')) return client.organisation.update(body, { signal })
  if (subject.startsWith('ag_')) return client.agents.update(subject, body, { signal })
  if (subject.startsWith('key_')) return client.apiKeys.update(subject, body, { signal })
  throw new CommandError('A budget is of an agent, an API key, or the organisation', {
    advice: 'Give an id (ag_…, key_…), or the word organisation.',
  })
}
