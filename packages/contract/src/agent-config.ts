import { z } from 'zod'
import { CreateConnector } from './connectors.ts'
import { ConnectorId } from './ids.ts'
import { limits } from './limits.ts'

const modelChars = 200
const toolNameChars = 200
const toolsNamedMost = 1_000
const outputTokensMost = 1_000_000

const ToolNames = z.array(z.string().min(1).max(toolNameChars)).max(toolsNamedMost)

const AgentTool = z
  .strictObject({
    connector_id: ConnectorId,
    allow: ToolNames.optional().meta({ description: 'The only tools that it may use. Left out, or empty: all.' }),
    require_approval: ToolNames.optional().meta({ description: 'Tools that a person must allow each time.' }),
  })
  .meta({ id: 'AgentTool' })

/**
 * What a request may say of a configuration, for both kinds of agents: which fields belong to which kind, and what an agent
 * cannot be without, is refused (422) where the kind is known.
 */
export const AgentConfig = z
  .strictObject({
    model: z.string().min(1).max(modelChars).nullable().meta({ description: '`provider/model`. For `llm`, required.' }),
    instructions: z.string().max(limits.instructionsChars).nullable().meta({ description: 'For `llm`.' }),
    temperature: z.number().min(0).max(2).nullable().meta({ description: 'For `llm`.' }),
    max_output_tokens: z.int().min(1).max(outputTokensMost).nullable().meta({ description: 'For `llm`.' }),
    tools: z.array(AgentTool).max(limits.toolsPerAgent).nullable().meta({ description: 'For `llm`.' }),
    script: z
      .array(z.unknown())
      .nullable()
      .meta({ description: 'For `llm` on `simulated/script`: the turns that it plays.' }),
    url: CreateConnector.shape.url
      .nullable()
      .meta({ description: 'For `remote`, required: your endpoint. HTTPS, and a host of the public Internet.' }),
    auth: CreateConnector.shape.auth
      .unwrap()
      .nullable()
      .meta({ description: 'For `remote`: how the service shows who it is. It is kept sealed.' }),
  })
  .partial()
  .meta({
    id: 'AgentConfig',
    description: 'Of the kind of the agent. Null clears. What could not work is 422, with the path of every fault.',
    examples: [{ model: 'simulated/echo', instructions: 'Answer in one sentence.' }],
  })
