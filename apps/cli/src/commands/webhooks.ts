import type { Webhook } from '@agent-run-service/sdk'
import { type Command, Option } from 'commander'
import { withExamples } from '../describe.ts'
import { readSecret } from '../input.ts'
import { commaList, type PageOptions, pageOf, tellPage, wholeNumber, withPaging } from '../list.ts'
import { localTime } from '../moment.ts'
import { acting, type Session } from '../session.ts'
import { fields } from '../table.ts'
import { statusStyle, type Terminal } from '../terminal.ts'
import { clean } from '../text.ts'
import { addDeliveryCommands } from './webhook-deliveries.ts'
import { addRecoveryCommands } from './webhook-recovery.ts'

export const addWebhooks = (program: Command): void => {
  const group = program.command('webhooks').description('manage webhooks and their deliveries')
  const webhooks = withExamples(group, 'ars webhooks list')
  withExamples(
    withPaging(webhooks.command('list').description('list webhooks'))
      .addOption(new Option('--status <status>', 'only those').choices(['healthy', 'failing', 'disabled']))
      .action(acting(list)),
    'ars webhooks list --status failing',
  )
  withExamples(
    webhooks.command('get <id>').description('show one webhook').action(acting(get)),
    'ars webhooks get wh_01m7ek7549ej9s2d1m7z8n0ycp',
  )
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
  withExamples(
    webhooks.command('delete <id>').description('delete a webhook with its deliveries').action(acting(remove)),
    'ars webhooks delete wh_01m7ek7549ej9s2d1m7z8n0ycp',
  )
}

const list = async (
  { terminal, client, signal }: Session,
  options: PageOptions & { status?: 'healthy' | 'failing' | 'disabled' },
) => {
  const { status } = options
  await tellPage(
    terminal,
    await client().webhooks.list({ ...pageOf(options), ...(status && { status }) }, { signal }),
    {
      all: options.all,
      columns: {
        ID: ({ id }) => id,
        STATUS: ({ status }) => status,
        URL: ({ url }) => url,
        EVENTS: ({ events }) => events.join(','),
      },
      nothing: 'No webhooks found. Register one with: ars webhooks create <url> --events run.completed',
    },
  )
  return undefined
}

const get = async ({ terminal, client, signal }: Session, id: string) => {
  const webhook = await client().webhooks.get(id, { signal })
  terminal.result(webhook, () => describeWebhook(terminal, webhook))
  offerRecovery(terminal, webhook)
  return undefined
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

const remove = async ({ terminal, client, signal }: Session, id: string) => {
  const webhook = await client().webhooks.delete(id, { signal })
  terminal.result(webhook, () => `${webhook.id} is deleted.`)
  return undefined
}

const describeWebhook = (terminal: Terminal, webhook: Webhook & { secret?: string | null }): string =>
  fields([
    ['id', webhook.id],
    ['url', clean(webhook.url)],
    ['events', webhook.events.join(', ')],
    ['status', terminal.paint(statusStyle(webhook.status), webhook.status)],
    ['reason', webhook.disabled_reason],
    ['last day', activityOf(webhook)],
    ['failing since', webhook.failing_since && localTime(webhook.failing_since)],
    ['missed since', webhook.missed_since && localTime(webhook.missed_since)],
    ['description', webhook.description === null ? null : clean(webhook.description)],
    // The secret is shown once and in full, so that it can be copied.
    ['secret', webhook.secret ?? `…${webhook.secret_hint.replace(/^…/, '')}`],
    ['created', localTime(webhook.created_at)],
  ])

/** Such as `19 of 20 deliveries succeeded`. Nothing without deliveries. */
const activityOf = ({ last_day: { deliveries, succeeded } }: Webhook): string | null =>
  deliveries === 0 ? null : `${succeeded} of ${deliveries} deliveries succeeded`

const tellSecret = (terminal: Terminal, secret: string | null): void => {
  if (secret !== null && !terminal.isJson) terminal.note('Store the secret now. It is not shown again.')
}

const offerRecovery = (terminal: Terminal, { id, missed_since: since }: Webhook): void => {
  if (since === null || terminal.isJson) return
  terminal.note(`Events since ${localTime(since)} may not have been delivered. Send them with:`)
  terminal.note(`  ars webhooks recover ${id} --since ${since}`)
}
