import { inputTemplateOf, plainText } from '../prompts/index.ts'
import { askAbout, blockedBy, contentOf, heldDecision, heldOrdinals, refusedBy } from './guarded.ts'
import { failed, type History, type StepOutcome } from './step.ts'
import type { StepChecks } from './step-check.service.ts'
import type { StepRequest } from './step-context.service.ts'

/** `rendered`: from the template, by this step, so that the step must store it. */
export type InputText = { text: string; isTemplated: boolean; rendered?: string }

/**
 * The input as the model receives it. The text of a template is judged as the input was: its parts can be allowed, and what they make
 * together not. The first step stores it, so that it is filled and judged once. An outcome: the model gets nothing.
 */
export const readInputText = async (
  checks: Pick<StepChecks, 'prompt'>,
  request: StepRequest,
  history: History,
): Promise<InputText | { outcome: StepOutcome }> => {
  const { agent, input, guard, step, context } = request
  const template = inputTemplateOf(agent.config)
  if (template === null) return { text: plainText(input), isTemplated: false }
  const stored = history.steps.find(({ content }) => content?.prompt !== undefined)?.content?.prompt
  if (stored !== undefined) return { text: stored, isTemplated: true }
  const filled = await checks.prompt(request, template, input)
  if (filled.kind === 'fault')
    return { outcome: failed('agent_error', `The input does not fit input_template. ${filled.message}`) }
  const verdict = await guard?.check('input', filled.text)
  if (verdict?.kind === 'block') return { outcome: blockedBy(verdict.finding) }
  if (verdict?.kind === 'ask') {
    // One decision is about the input in every form.
    const about = { step, ordinal: heldOrdinals.input }
    const decision = heldDecision(await context.history(), about)
    if (!decision) return { outcome: { kind: 'wait', record: null, asks: [askAbout(verdict.finding, about)] } }
    if (decision.resolution !== 'approve') return { outcome: refusedBy(decision) }
  }
  const text = verdict ? contentOf(verdict, filled.text) : filled.text
  return { text, isTemplated: true, rendered: text }
}

/** The outcome with the text that the step made from the template. */
export const withPrompt = (outcome: StepOutcome, { rendered }: InputText): StepOutcome =>
  rendered === undefined || !outcome.record
    ? outcome
    : ({
        ...outcome,
        record: { ...outcome.record, content: { ...outcome.record.content, prompt: rendered } },
      } as StepOutcome)
