import type { Egress } from '@ars/platform/egress/egress'
import type { Expressions } from './expression/expression.service.ts'

export type OutsideDeps = {
  expressions: Pick<Expressions, 'check'>
  egress: Pick<Egress, 'checkTarget'>
  /** Our own address, which no rule may call. */
  ownUrl: URL
}

/** The sentences about an expression that is saved, each with its place. An empty list: it can be used. */
export const problemsOfExpression = async (
  { expressions }: Pick<OutsideDeps, 'expressions'>,
  org: string,
  source: string,
): Promise<string[]> => {
  const problems = await expressions.check(org, source)
  return problems.map(({ message, position }) => `${message} (at character ${position + 1})`)
}

/** The sentences about the address of a rule that is saved. The name is looked up, as for webhooks. */
export const problemsOfUrl = async (
  { egress, ownUrl }: Pick<OutsideDeps, 'egress' | 'ownUrl'>,
  text: string,
): Promise<string[]> => {
  const url = URL.parse(text)
  if (url?.host === ownUrl.host) return ['This URL belongs to the service itself. Use a URL of your own server.']
  if (url && (url.search !== '' || url.hash !== ''))
    return ['The URL may have no query and no fragment, because the path of the operation is added to it.']
  const verdict = await egress.checkTarget(text)
  return verdict.ok ? [] : [verdict.reason]
}
