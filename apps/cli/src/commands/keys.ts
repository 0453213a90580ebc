import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { acting, type Session } from '../session.ts'
import { clean } from '../text.ts'

const example = 'key_01kf3xw0fqe1vrr9m8sdv2wbx4'

export const addKeys = (program: Command): void => {
  const group = program.command('keys').description('list and revoke API keys')
  const keys = withExamples(group, 'ars keys list')
  withExamples(
    withPaging(keys.command('list').description('list API keys, also those that no longer work'))
      .option('--created-by <id>', 'only keys that this person or key created')
      .action(acting(list)),
    'ars keys list --created-by usr_01kf3xw0fqe1vrr9m8sdv2wbx4',
  )
  withExamples(
    keys
      .command('revoke <key>')
      .description('revoke an API key; it stops working everywhere within 5 seconds')
      .option('--descendants', 'also revoke the keys that it created, its successors, and theirs')
      .action(acting(revoke)),
    `ars keys revoke ${example}`,
    `ars keys revoke ${example} --descendants`,
  )
}

const list = async (
  { terminal, client, signal }: Session,
  { createdBy, ...options }: PageOptions & { createdBy?: string },
) => {
  const filter = { ...pageOf(options), ...(createdBy === undefined ? {} : { created_by: createdBy }) }
  await tellPage(terminal, await client().apiKeys.list(filter, { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      KEY: ({ prefix, hint }) => `${prefix}…${hint}`,
      NAME: ({ name }) => clean(name),
      ENDS: (key) => key.revoked_at ?? key.grace_until ?? key.expires_at ?? 'never',
      'LAST USED': ({ last_used_at }) => last_used_at ?? 'never',
      'CREATED BY': ({ created_by }) => created_by ?? 'operator',
    },
    nothing: 'No API keys found.',
  })
  return undefined
}

const revoke = async (
  { terminal, client, signal }: Session,
  id: string,
  { descendants = false }: { descendants?: boolean },
) => {
  const params = descendants ? ({ descendants: 'true' } as const) : {}
  const revoked = await client().apiKeys.revoke(id, params, { signal })
  terminal.result(revoked, () => {
    const below = descendants ? ` Keys below it that were revoked: ${revoked.descendants_revoked}.` : ''
    return `${revoked.id} is revoked.${below}`
  })
  return undefined
}
