import type { Run, RunsActParams } from '@agent-run-service/sdk'
import { CommandError } from '../exit-code.ts'
import { readValue } from '../input.ts'
import { ask } from '../prompt.ts'
import type { Session } from '../session.ts'
import { isYesOrNo, tellQuestion } from './run-view.ts'

type Question = Run['required_actions'][number]
type Given = { action: string | undefined; comment: string | undefined }

/** Shows the open questions of a run to the person at the terminal and sends each decision. Returns the run after them. */
export const decide = async ({ terminal, client, signal }: Session, id: string, given: Given): Promise<Run> => {
  if (process.stdin.isTTY !== true) {
    throw new CommandError('The action is missing', {
      advice: `Use approve, reject, respond or message, for example: ars runs act ${id} approve`,
    })
  }
  let run = await client().runs.get(id, { signal })
  const questions = run.required_actions.filter((each) => given.action === undefined || each.id === given.action)
  if (questions.length === 0) throw new CommandError(`${id} has no such open question. It is ${run.status}.`)
  for (const question of questions) {
    tellQuestion(terminal, question)
    const decision = await askFor(question)
    if (decision === undefined) continue
    const comment = given.comment === undefined ? {} : { comment: given.comment }
    run = await client().runs.act(id, { ...decision, action_id: question.id, ...comment }, { signal })
  }
  return run
}

/** Undefined: the person decides later. */
const askFor = async ({ type }: Question): Promise<Pick<RunsActParams, 'type' | 'payload'> | undefined> => {
  if (!isYesOrNo(type)) {
    const typed = await ask('Response as JSON', 'later')
    if (typed === '' || typed === 'later') return undefined
    return { type: 'respond', payload: await readValue(typed, 'The response', 'json') }
  }
  for (;;) {
    const typed = (await ask('approve, reject or later', 'later')).toLowerCase()
    if (typed === '' || typed === 'later') return undefined
    const chosen = (['approve', 'reject'] as const).find((each) => each.startsWith(typed))
    if (chosen !== undefined) return { type: chosen }
  }
}

/**
 * The question that a decision without `--action` is about: the only open one, which is printed. The decision names it, so that it never
 * reaches a question that opened meanwhile. Undefined: none is open, and the service says whether the decision is a repetition.
 */
export const namedQuestion = <Open extends { id: string }>(
  questions: readonly Open[],
  tell: (questions: readonly Open[]) => void,
): string | undefined => {
  tell(questions)
  if (questions.length > 1) {
    throw new CommandError(`${questions.length} questions are open`, {
      advice: 'Name the one you decide with --action.',
    })
  }
  return questions[0]?.id
}
