/**
 * Everything that enters or leaves a run passes here: model text, tool calls and tool results, before they are
 * stored, streamed or sent. Everything is allowed until policies exist; they will be the rules.
 */
export type Guardrails = {
  check(stage: Stage, content: unknown): GuardVerdict
  /** A stream of text. Text that may still turn out to be forbidden is held back until it has been checked. */
  openStream(emit: (text: string) => void): GuardedStream
}

export type Stage = 'input' | 'output' | 'tool_call' | 'tool_result'

export type GuardVerdict = { pass: true } | { pass: false; policy: string; check: string; reason: string }

export type GuardedStream = {
  /** Answers the rule that forbids the text; after that nothing more is released. */
  write(text: string): GuardVerdict
  /** Releases the text that was held back. */
  end(): GuardVerdict
  /** The text was withdrawn: the held-back part is dropped. */
  restart(): void
}

export type Rule = {
  policy: string
  check: string
  stage: Stage
  /** The longest forbidden match in characters: a stream holds back this many. */
  windowChars: number
  /** Null: nothing is wrong. */
  judge(content: unknown): string | null
}

const passed: GuardVerdict = { pass: true }

export const createGuardrails = (rules: readonly Rule[] = []): Guardrails => {
  const check = (stage: Stage, content: unknown): GuardVerdict => {
    for (const rule of rules) {
      if (rule.stage !== stage) continue
      const reason = rule.judge(content)
      if (reason !== null) return { pass: false, policy: rule.policy, check: rule.check, reason }
    }
    return passed
  }
  const windowChars = Math.max(0, ...rules.filter(({ stage }) => stage === 'output').map((rule) => rule.windowChars))

  const openStream = (emit: (text: string) => void): GuardedStream => {
    // Recently released text stays in view, because a forbidden match may begin in it.
    let seen = ''
    let held = ''
    let verdict: GuardVerdict = passed
    const letOut = (chars: number): GuardVerdict => {
      verdict = check('output', seen + held)
      if (verdict.pass && chars > 0) {
        emit(held.slice(0, chars))
        seen = windowChars === 0 ? '' : (seen + held.slice(0, chars)).slice(-windowChars)
        held = held.slice(chars)
      }
      return verdict
    }
    return {
      write: (text) => {
        if (!verdict.pass) return verdict
        held += text
        return letOut(Math.max(0, held.length - windowChars))
      },
      end: () => (verdict.pass ? letOut(held.length) : verdict),
      restart: () => {
        seen = ''
        held = ''
        verdict = passed
      },
    }
  }
  return { check, openStream }
}
