import { errors } from '@ars/contract'

/** The page that `doc_url` points to, in Markdown, made from the contract's own table. */
export const errorPage = (): string =>
  [
    '# Errors',
    '',
    'Every error answer has one shape: `{"error":{"type","code","message","param","request_id","doc_url","details"}}`.',
    '',
    ...Object.entries(errors).map(
      ([code, { status, meaning, advice, retry }]) =>
        `## ${code}\n\nStatus ${status}. ${meaning}\n\nWhat to do: ${advice}\n\nA retry of the same request ${retry ? 'may help' : 'does not help'}.\n`,
    ),
  ].join('\n')
