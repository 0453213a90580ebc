/** What a starter is made for. */
export type StarterValues = {
  baseUrl: string
  agentId: string
  /** The certificate that the program must trust in addition to the public ones. */
  caFile: string | undefined
  /** The version of the SDK. */
  version: string
  /** A file or folder with the SDK, instead of the registry. */
  sdk: string | undefined
}

/** A first program in one language. */
export type Starter = {
  title: string
  /** Files by name. */
  files(values: StarterValues): Readonly<Record<string, string>>
  ignored: readonly string[]
  /** The variable with the certificate that the language trusts. */
  caVariable: string
  /** The commands that install and run it. */
  commands: readonly (readonly string[])[]
}

/** All files, with those that every language has. */
export const filesOf = (starter: Starter, values: StarterValues): Readonly<Record<string, string>> => ({
  ...starter.files(values),
  'README.md': readmeOf(starter),
  '.gitignore': `${['.env', ...starter.ignored].join('\n')}\n`,
  '.env.example': environmentOf(starter, values),
})

const readmeOf = ({ title, commands }: Starter): string => `# A first program for Agent Run Service

It runs an agent with an input and prints the result. You need ${title}.

1. Copy \`.env.example\` to \`.env\` and write your API key into it. Git ignores \`.env\`.
2. Install and run the program:

   \`\`\`sh
   set -a; . ./.env; set +a
${commands.map((command) => `   ${command.join(' ')}`).join('\n')}
   \`\`\`

The last command takes another input as argument. \`ars agents list\` shows the agents that your key can run.
`

const environmentOf = ({ caVariable }: Starter, { baseUrl, agentId, caFile }: StarterValues): string => {
  const lines = [`ARS_BASE_URL=${baseUrl}`, 'ARS_API_KEY=', `ARS_AGENT_ID=${agentId}`]
  return `${[...lines, ...(caFile === undefined ? [] : [`${caVariable}=${caFile}`])].join('\n')}\n`
}
