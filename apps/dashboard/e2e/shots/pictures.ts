import type { Page } from 'playwright-core'
import { paths } from '../routes.ts'
import { parameters, type World } from './answers.ts'
import { id } from './data/base.ts'

export const looks = ['light', 'dark', 'narrow', 'empty', 'error'] as const
export type Look = (typeof looks)[number]

/** One picture: a page in one of its states. */
export type Picture = {
  path: string
  look: Look
  file: string
  address: string
  world: World
  act?(page: Page): Promise<void>
}

/** Pages that have nothing to show before somebody adds something. */
const canBeEmpty: ReadonlySet<string> = new Set([
  ...['/', '/runs', '/approvals', '/playground', '/catalog', '/connectors', '/webhooks', '/events'],
  ...['/agents', '/agents/$agentId', '/agents/$agentId/versions', '/agents/$agentId/releases'],
  ...['/connectors/$connectorId', '/webhooks/$webhookId', '/webhooks/$webhookId/missed'],
  ...['/webhooks/$webhookId/recoveries', '/settings/api-keys', '/settings/members', '/settings/audit-log'],
  ...['/usage', '/analytics', '/alerts'],
])

/** Pages that read nothing, so that nothing can fail. The error of an open link is its first state. */
const cannotFail: ReadonlySet<string> = new Set([
  '/invitation',
  '/password-reset',
  '/email-proof',
  '/settings/profile',
  '/$',
])

/** The button that shows the error of a form. */
const errorsOfForms: Readonly<Record<string, string>> = {
  '/login': 'Log in',
  '/agents/new': 'Create agent',
  '/connectors/new': 'Add connector',
  '/webhooks/new': 'Create webhook',
  '/alert-rules/new': 'Create rule',
}

const queries: Readonly<Record<string, string>> = {
  '/runs/compare': `?a=${id('run', 2)}&b=${id('run', 1)}`,
  '/runs/$runId': '?step=4',
  '/approvals': `?action=${id('act', 3)}`,
  '/playground': `?agent_id=${parameters.agentId}`,
  '/agents/$agentId/versions': '?from=4&to=5',
  '/settings/audit-log': `?entry=${id('aud', 1)}`,
  '/invitation': '#token=0123456789',
  '/password-reset': '#token=0123456789',
  '/email-proof': '#token=0123456789',
  '/shared': `#run=${parameters.runId}&token=ars_share_${'0'.repeat(38)}`,
}
const emptyQueries: Readonly<Record<string, string>> = { '/catalog': '?q=plumber' }

/** Pages without pictures: that of the components exists in development only, and for the others the album has no room within its 2 MB. */
export const unpictured: ReadonlySet<string> = new Set([
  '/lab',
  ...paths.filter((path) => /^\/(policies|pipelines|pipeline-runs|schedules|batches)\b/.test(path)),
])

const shownPaths = paths.filter((path) => !unpictured.has(path))

/** A page of one thing that does not find it looks like that of a run, which stands for all of them. */
const showsError = (path: string): boolean => !cannotFail.has(path) && (!path.includes('$') || path === '/runs/$runId')

const looksOf = (path: string): readonly Look[] =>
  looks.filter((look) => (look !== 'empty' || canBeEmpty.has(path)) && (look !== 'error' || showsError(path)))

const addressOf = (path: string, look: Look): string => {
  const named = path.replace(/\$$/, 'nowhere').replaceAll(/\$(\w+)/g, (_, name: string) => parameterOf(path, name))
  return named + (look === 'empty' ? (emptyQueries[path] ?? '') : (queries[path] ?? ''))
}

const parameterOf = (path: string, name: string): string => {
  const found = parameters[name]
  if (found === undefined) throw new Error(`${path} needs a ${name}: add it to e2e/shots/answers.ts`)
  return found
}

const worldOf = (path: string, look: Look): World => {
  if (look === 'empty') return 'empty'
  if (look !== 'error' || path in errorsOfForms) return 'full'
  return path.includes('$') || path === '/shared' ? 'missing' : 'failing'
}

const names: Readonly<Record<string, string>> = { '/': 'home', '/$': 'not-found' }
const nameOf = (path: string): string => names[path] ?? path.slice(1).replaceAll('$', '').replaceAll('/', '-')

const actOf = (path: string, look: Look): Pick<Picture, 'act'> => {
  const button = look === 'error' ? errorsOfForms[path] : undefined
  if (button === undefined) return {}
  return {
    act: async (page) => {
      if (path === '/login') {
        await page.getByLabel('E-mail').fill('ada@northwind.example')
        await page.getByLabel(/^Password/).fill('not the password')
      }
      await page.getByRole('button', { name: button, exact: true }).click()
      await page.locator('[role=alert], [aria-invalid=true]').first().waitFor()
    },
  }
}

/** Every page of the dashboard in each of its states. */
export const pictures: readonly Picture[] = shownPaths.flatMap((path) =>
  looksOf(path).map((look) => ({
    path,
    look,
    file: `${nameOf(path)}-${look}.webp`,
    address: addressOf(path, look),
    world: worldOf(path, look),
    ...actOf(path, look),
  })),
)
