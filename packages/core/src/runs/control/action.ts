import type { OpenAction } from '../run/run.ts'

/** What a person may send to a run. */
export type SentAction = {
  type: 'approve' | 'reject' | 'respond' | 'message'
  action_id?: string | undefined
  comment?: string | undefined
  payload?: unknown
}

/** An action; it is open while `resolution` is null. */
export type KnownAction = OpenAction & {
  resolution: 'approve' | 'reject' | 'respond' | null
  payload: unknown
  comment: string | null
}

export type ActionDecision =
  | { kind: 'resolve'; action: KnownAction; resolution: 'approve' | 'reject' | 'respond' }
  /** The same decision was made before: nothing to do. */
  | { kind: 'repeat' }
  | { kind: 'refuse'; code: RefusalCode; message: string }

type RefusalCode =
  | 'no_open_action'
  | 'action_id_required'
  | 'action_not_applicable'
  | 'action_already_resolved'
  | 'not_found'

/** Which of the run's actions is meant, and whether this request decides it. */
export const decideAction = (
  sent: SentAction & { type: 'approve' | 'reject' | 'respond' },
  actions: readonly KnownAction[],
  isSame: (one: unknown, other: unknown) => boolean,
): ActionDecision => {
  const action = chooseAction(sent.action_id, actions)
  if ('kind' in action) return action
  if (action.resolution !== null) {
    const isRepeat = action.resolution === sent.type && isSame(action.payload ?? null, sent.payload ?? null)
    return isRepeat ? { kind: 'repeat' } : refuse('action_already_resolved', 'Another decision was made before')
  }
  const isYesOrNo = action.type === 'approval' || action.type === 'raise_budget'
  const fits = isYesOrNo ? sent.type !== 'respond' : sent.type === 'respond'
  if (!fits) return refuse('action_not_applicable', `An action of type ${action.type} is not answered by ${sent.type}`)
  return { kind: 'resolve', action, resolution: sent.type }
}

const chooseAction = (id: string | undefined, actions: readonly KnownAction[]): KnownAction | Refusal => {
  if (id !== undefined)
    return actions.find((action) => action.id === id) ?? refuse('not_found', 'There is no such action')
  const open = actions.filter(({ resolution }) => resolution === null)
  const [only] = open
  if (only && open.length === 1) return only
  if (open.length > 1) return refuse('action_id_required', `${open.length} actions are open; say which one is decided`)
  // Without an id, a repeated decision can only mean the last one.
  const last = actions.at(-1)
  return last ?? refuse('no_open_action', 'The run waits for no decision')
}

type Refusal = Extract<ActionDecision, { kind: 'refuse' }>

const refuse = (code: RefusalCode, message: string): Refusal => ({ kind: 'refuse', code, message })
