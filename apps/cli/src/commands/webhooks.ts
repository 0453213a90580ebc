import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { readSecret } from '../input.ts'
import { commaList, wholeNumber } from '../list.ts'
import { acting, type Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { addDeliveryCommands } from './webhook-deliveries.ts'
import { addRecoveryCommands } from './webhook-recovery.ts'
import { describeWebhook, offerRecovery } from './webhook-view.ts'

export const addWebhooks = (program: Command): void => {
  const group = program.command('webhooks').description('manage webhooks and their deliveries')
  const webhooks = withExamples(group, 'ars webhooks list')
  withExamples(
    webhooks
      .command('create <url>')
      .description('register an endpoint; its signing secret is shown once')
      .requiredOption('--events <list>', 'event types separated by commas; * for all', commaList)
      .option(
        '--secret <@file|->',
        'your own signing secret, whsec_…, from a file or stdin; by default the service generates one',
      )
      .option('--description <text>', 'description of the webhook')
      .action(acting(create)),
    'ars webhooks create https://example.com/hook --events run.completed,run.failed',
  )
  addDeliveryCommands(webhooks)
  addRecoveryCommands(webhooks)
  withExamples(
    webhooks
      .command('rotate-secret <id>')
      .description('replace the signing secret; the old one stays valid for a day')
      .option(
        '--secret <@file|->',
        'your own secret, whsec_…, from a file or stdin; by default the service generates one',
      )
      .option('--overlap-hours <n>', 'how long the old secret stays valid, 0 to 168 (default 24)', wholeNumber)
      .action(acting(rotateSecret)),
    'ars webhooks rotate-secret wh_01m7ek7549ej9s2d1m7z8n0ycp --overlap-hours 48',
  )
  withExamples(
    webhooks.command('pause <id>').description('pause deliveries until the webhook is enabled').action(acting(pause)),
    'ars webhooks pause wh_01m7ek7549ej9s2d1m7z8n0ycp',
  )
  withExamples(
    webhooks
      .command('enable <id>')
      .description('resume deliveries, also after the service has disabled the webhook')
      .action(acting(enable)),
    'ars webhooks enable wh_01m7ek7549ej9s2d1m7z8n0ycp',
  )
}

type CreateOptions = { events: string[]; secret?: string; description?: string }

const create = async ({ terminal, client, signal }: Session, url: string, options: CreateOptions) => {
  const { events, description } = options
  const secret = await readOwnSecret(options)
  const body = { url, events, ...(secret && { secret }), ...(description && { description }) }
  const webhook = await client().webhooks.create(body, { signal })
  terminal.result(webhook, () => describeWebhook(terminal, webhook))
  tellSecret(terminal, webhook.secret)
  if (!terminal.isJson) terminal.note(`Try it with: ars webhooks test ${webhook.id}`)
  return undefined
}

const readOwnSecret = ({ secret }: { secret?: string }): Promise<string> | undefined =>
  secret === undefined ? undefined : readSecret(secret, '--secret')

type RotateOptions = { secret?: string; overlapHours?: number }

const rotateSecret = async ({ terminal, client, signal }: Session, id: string, options: RotateOptions) => {
  const { overlapHours } = options
  const secret = await readOwnSecret(options)
  const body = { ...(secret && { secret }), ...(overlapHours !== undefined && { overlap_hours: overlapHours }) }
  const webhook = await client().webhooks.rotateSecret(id, body, { signal })
  terminal.result(webhook, () => describeWebhook(terminal, webhook))
  tellSecret(terminal, webhook.secret)
  return undefined
}

const change = (active: boolean, words: string) => async (session: Session, id: string) => {
  const { terminal, client, signal } = session
  const webhook = await client().webhooks.update(id, { active }, { signal })
  terminal.result(webhook, () => `${webhook.id} ${words}.`)
  if (active) offerRecovery(terminal, webhook)
  return undefined
}

const pause = change(false, 'is paused')
const enable = change(true, 'is enabled')

const tellSecret = (terminal: Terminal, secret: string | null): void => {
  if (secret !== null && !terminal.isJson) terminal.note('Store the secret now. It is not shown again.')
}
