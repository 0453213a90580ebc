import { type Command, Option } from 'commander'
import { withExamples } from '../describe.ts'
import { type PageOptions, pageOf, tellPage, withPaging } from '../list.ts'
import { acting, type Session } from '../session.ts'
import { clean } from '../text.ts'

export const addMembers = (program: Command): void => {
  const group = program.command('members').description('list and remove members of the organisation')
  const members = withExamples(group, 'ars members list')
  withExamples(withPaging(members.command('list').description('list members')).action(acting(list)), 'ars members list')
  withExamples(
    members
      .command('remove <member>')
      .description('remove a member and end the sessions of the person')
      .addOption(
        new Option('--keys <decision>', 'what becomes of active API keys of the person').choices(['revoke', 'keep']),
      )
      .action(acting(remove)),
    'ars members remove mem_01kf3xw0fqe1vrr9m8sdv2wbx4 --keys revoke',
  )
}

const list = async ({ terminal, client, signal }: Session, options: PageOptions) => {
  await tellPage(terminal, await client().members.list(pageOf(options), { signal }), {
    all: options.all,
    columns: {
      ID: ({ id }) => id,
      USER: ({ user_id }) => user_id,
      ROLE: ({ role }) => role,
      'E-MAIL': ({ email }) => clean(email),
      NAME: ({ name }) => clean(name),
    },
    nothing: 'No members found.',
  })
  return undefined
}

const remove = async ({ terminal, client, signal }: Session, id: string, { keys }: { keys?: 'revoke' | 'keep' }) => {
  const removed = await client().members.remove(id, keys === undefined ? {} : { keys }, { signal })
  terminal.result(removed, () => `${clean(removed.email)} is no longer a member.`)
  return undefined
}
