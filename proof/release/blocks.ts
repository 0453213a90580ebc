/** The fenced blocks of a Markdown page in one language, in their order. */
export const blocksOf = (text: string, language: string): string[] =>
  [...text.matchAll(/^```(\S+)\n([\s\S]*?)^```$/gm)].flatMap(([, found, code = '']) =>
    found === language ? [code] : [],
  )

export type Values = { readonly agentId: string; readonly apiKey: string; readonly baseUrl: string }

/** Pages write an agent, a key and an address that do not exist; a run needs real ones. */
export const withValues = (code: string, { agentId, apiKey, baseUrl }: Values): string =>
  code.replaceAll('ag_…', agentId).replaceAll('ars_live_…', apiKey).replaceAll('https://agents.example.com/v2', baseUrl)
