import { apiBasePath } from '@ars/contract'
import type { OpenApi } from './document.ts'

/** The service for a language model: what it is, where the document is, and every operation in one line. */
export const llmsTxt = (
  document: OpenApi,
  { publicUrl, hasDocsSite }: { publicUrl: string; hasDocsSite: boolean },
): string => {
  const groups = document.tags.map(({ name, description }) => {
    const lines = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([, { tags }]) => tags.includes(name))
        .map(
          ([method, { operationId, summary }]) =>
            `- [${method.toUpperCase()} ${apiBasePath}${path}](${publicUrl}/docs/api#${operationId}): ${summary}`,
        ),
    )
    return lines.length > 0 ? `## ${name}\n\n${description}\n\n${lines.join('\n')}` : undefined
  })
  const docs = hasDocsSite
    ? `\n- [Documentation](${publicUrl}/docs/llms.txt): tutorials, guides and explanations as Markdown.`
    : ''
  return `# ${document.info.title}

> A REST service that runs AI agents for other programs. Base URL: ${publicUrl}${apiBasePath}. Send \`Authorization: Bearer <API key>\`.

- [OpenAPI document](${publicUrl}/openapi.json): every operation, parameter, field and example. Also as [YAML](${publicUrl}/openapi.yaml).
- [Reference](${publicUrl}/docs/api): the same for people.
- [Errors](${publicUrl}/docs/errors): every error code and what to do.${docs}

First call: \`POST ${publicUrl}${apiBasePath}/runs\` with \`{"agent_id": "ag_…", "input": {"query": "…"}}\` returns the run with \`output.result\`.

${groups.filter((group) => group !== undefined).join('\n\n')}
`
}
