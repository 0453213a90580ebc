import type { AgentPrompt, contract } from '@ars/contract'
import { fromUuid } from '@ars/platform/id'
import type { z } from 'zod'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { type TextGuard, textAuthorOf } from '../guardrails/index.ts'
import { type InputTemplates, inputTemplateOf, openingOf, plainText } from '../prompts/index.ts'
import type { Schemas } from '../schemas/index.ts'
import type { AgentService } from './agent.service.ts'
import type { AccessibleAgent } from './agent-access.service.ts'
import { findComputedFaults, refuse } from './agent-check.service.ts'

export type PromptService = {
  /** The messages that the model of an agent receives for an input, as a run would send them. `agent`: null for an unsaved configuration. */
  show(ctx: Ctx, asked: AskedPrompt, agent: AccessibleAgent | null): Promise<AgentPrompt>
}

type AskedPrompt = Omit<z.output<typeof contract.agents.prompt.input>, 'agent_id'>

type Deps = {
  agents: Pick<AgentService, 'version'>
  schemas: Pick<Schemas, 'checkSchema' | 'faultsOf'>
  templates: InputTemplates
  /** The policies that judge the input of a run judge this one too, but for those that ask a model or a host. */
  texts: Pick<TextGuard, 'require'>
}

export const createPrompts = ({ agents, schemas, templates, texts }: Deps): PromptService => {
  const contentOf = async (ctx: Ctx, { version, config = {} }: AskedPrompt, agent: AccessibleAgent | null) => {
    if (!agent) return { config, input_schema: null, version: null }
    if (agent.kind === 'remote') {
      const words = 'A remote agent calls no model here: its endpoint receives the input as it is'
      throw new Fault('config_invalid', words, { param: 'agent_id' })
    }
    const saved = version === undefined ? agent : await agents.version(ctx, { version }, agent)
    return { config: { ...saved.config, ...config }, input_schema: saved.input_schema, version: saved.version }
  }

  const textOf = async (org: string, template: string | null, input: Record<string, unknown>): Promise<string> => {
    if (template === null) return plainText(input)
    const filled = await templates.render(org, template, input)
    if (filled.kind === 'rendered') return filled.text
    throw new Fault('input_invalid', `The input does not fit input_template. ${filled.message}`, { param: 'input' })
  }

  return {
    show: async (ctx, asked, agent) => {
      const { org } = ctx
      refuse('config_invalid', await findComputedFaults({ schemas, templates }, org, { config: asked.config }))
      const { config, input_schema, version } = await contentOf(ctx, asked, agent)
      const judge = <Content>(content: Content): Promise<Content> =>
        texts.require(textAuthorOf(ctx), { stage: 'input', content, agentId: agent?.id, isPreview: true })
      const { input } = await judge({ input: asked.input })
      const faults = input_schema ? await schemas.faultsOf(org, input_schema, { value: input, field: 'input' }) : []
      const [first] = faults
      if (first) throw new Fault('input_invalid', first.message, { param: first.param, details: faults })
      const template = inputTemplateOf(config)
      const text = await textOf(org, template, input)
      const judged = template === null ? text : await judge(text)
      return {
        object: 'agent_prompt',
        agent_id: agent && fromUuid('ag', agent.id),
        version,
        messages: openingOf(config.instructions, judged).map(({ role, text: content }) => ({ role, content })),
      }
    },
  }
}
