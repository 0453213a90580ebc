import type { Command } from 'commander'
import { withExamples } from '../describe.ts'
import { acting, type Session } from '../session.ts'

const example = 'key_01kf3xw0fqe1vrr9m8sdv2wbx4'

export const addKeys = (program: Command): void => {
  const group = program.command('keys').description('create, list, change, rotate and revoke API keys')
  const keys = withExamples(group, 'ars keys list')
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
