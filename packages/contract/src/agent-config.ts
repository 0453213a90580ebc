import { z } from 'zod'
import { fieldLimits } from './bounds.ts'
import { CreateConnector } from './connectors.ts'
import { ConnectorId } from './ids.ts'
import { limits } from './limits.ts'

const { modelNameChars: modelChars, toolNameChars } = fieldLimits

const ToolNames = z.array(z.string().min(1).max(toolNameChars)).max(fieldLimits.toolsNamed)

const AgentTool = z
  .strictObject({
    connector_id: ConnectorId,
    allow: ToolNames.optional().meta({
      description: 'The tools that the agent can use, if they are approved. Omitted: all approved tools. Empty: none.',
    }),
    require_approval: ToolNames.optional().meta({
      description:
        'Tools whose calls wait for a person, beside those that do by default: tools without `readOnlyHint` whose ' +
        '`destructiveHint` is not false. An empty list asks nobody, not even by default.',
    }),
  })
  .meta({ id: 'AgentTool' })

/**
 * The configuration in a request, for both kinds of agents. Fields of the other kind are rejected with 422 where the kind
 * is known.
 */
export const AgentConfig = z
  .strictObject({
    model: z.string().min(1).max(modelChars).meta({ description: '`provider/model`. Required for `llm`.' }),
    fallback_models: z.array(z.string().min(1).max(modelChars)).max(limits.fallbackModelsPerAgent).nullable().meta({
      description: 'Called in order while the models before answer 429 or 5xx or are unreachable. For `llm`.',
    }),
    instructions: z
      .string()
      .max(limits.instructionsChars)
      .nullable()
      .meta({ description: 'System prompt. For `llm`.' }),
    input_template: z
      .string()
      .max(limits.inputTemplateChars)
      .nullable()
      .meta({
        description:
          'The first user message, with placeholders such as `${{ input.question }}` (CEL) that the input of a run fills. Without it the ' +
          'model receives `query` as text if it is the only field, and otherwise the input as JSON. For `llm`.',
      }),
    temperature: z.number().min(0).max(2).nullable().meta({ description: 'Sampling temperature. For `llm`.' }),
    max_output_tokens: z
      .int()
      .min(1)
      .max(fieldLimits.outputTokens)
      .nullable()
      .meta({ description: 'Maximum output tokens of one model call. For `llm`.' }),
    tools: z
      .array(AgentTool)
      .max(limits.toolsPerAgent)
      .nullable()
      .meta({ description: 'Connectors whose tools the agent can use. For `llm`.' }),
    script: z
      .array(z.unknown())
      .nullable()
      .meta({ description: 'For `llm` with the model `simulated/script`: the scripted turns.' }),
    url: CreateConnector.shape.url.meta({
      description: 'Your endpoint: HTTPS on a public host. Required for `remote`.',
    }),
    auth: CreateConnector.shape.auth
      .unwrap()
      .nullable()
      .meta({ description: 'How the service authenticates at your endpoint; stored encrypted. For `remote`.' }),
  })
  .partial()
  .meta({
    id: 'AgentConfigInput',
    description:
      'Use the fields of the agent’s kind. Null clears an optional field. An invalid configuration returns 422 with the path of each error.',
    examples: [{ model: 'simulated/echo', instructions: 'Answer in one sentence.' }],
  })
