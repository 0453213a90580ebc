import type { Command } from 'commander'
import { type ChainEntry, type ChainHead, verifyChain } from '../audit-chain.ts'
import { cliBounds } from '../bounds.ts'
import { withExamples } from '../describe.ts'
import { CommandError, exitCodes } from '../exit-code.ts'
import { acting, type Session } from '../session.ts'

export const addAudit = (program: Command): void => {
  const audit = withExamples(program.command('audit').description('verify the audit log'), 'ars audit verify')
  withExamples(
    audit
      .command('verify')
      .description('check that no entry of the audit log was changed or removed, and print its head to keep')
      .option('--since-head <number:hash>', 'stop at this entry, whose head you kept, and compare its hash')
      .action(acting(verify)),
    'ars audit verify',
    'ars audit verify --since-head 41:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  )
}

const verify = async ({ terminal, client, signal }: Session, options: { sinceHead?: string }) => {
  const verdict = await verifyChain(pagesOf(client(), signal), headIn(options.sinceHead))
  if (verdict.kind === 'broken') {
    throw new CommandError(`Entry ${verdict.number} of the audit log ${verdict.reason}.`, {
      code: 'audit_broken',
      exitCode: exitCodes.failed,
    })
  }
  const { entries, head } = verdict
  const text = head && `${head.number}:${head.hash}`
  terminal.result({ intact: true, entries, head: text }, () =>
    text === null ? 'The audit log is empty.' : `The audit log is intact: ${entries} entries checked.\nHead  ${text}`,
  )
  return undefined
}

const pagesOf = async function* (
  client: ReturnType<Session['client']>,
  signal: AbortSignal,
): AsyncGenerator<readonly ChainEntry[]> {
  let after: string | undefined
  for (;;) {
    const page = await client.auditLog.list({ limit: cliBounds.page.count, ...(after && { after }) }, { signal })
    yield page.data
    after = page.data.at(-1)?.id
    if (!page.hasMore || after === undefined) return
  }
}

const headIn = (text: string | undefined): ChainHead | null => {
  if (text === undefined) return null
  const [, number, hash] = /^([1-9][0-9]{0,14}):([0-9a-f]{64})$/.exec(text) ?? []
  if (number === undefined || hash === undefined)
    throw new CommandError('--since-head must be a number and a hash, such as 41:9f86…, from an earlier verification.')
  return { number: Number(number), hash }
}
