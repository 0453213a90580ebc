/** A caller that reads everything of an organisation. */
export const wholeReader = (org: string) => ({ org, actor: { type: 'key', id: 'key_reader' }, agentIds: null }) as const
