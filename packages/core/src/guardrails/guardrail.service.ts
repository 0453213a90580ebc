/**
 * The one place that everything passes which goes into a run or comes out of it: model text, tool calls and tool
 * results, before they are stored, streamed or sent. It lets everything pass until policies come; they will be its
 * rules.
 */
export type Guardrails = {
  check(stage: Stage, content: unknown): Verdict
  /** A stream of text. What might still turn out to be forbidden is held back until it has been looked at. */
  openStream(emit: (text: string) => void): GuardedStream
}

export type Stage = 'input' | 'output' | 'tool_call' | 'tool_result'

export type Verdict = { pass: true } | { pass: false; policy: string; check: string; reason: string }

export type GuardedStream = {
  /** Answers what forbids it; from then on nothing more comes out. */
  write(text: string): Verdict
  /** Lets out what was held back. */
  end(): Verdict
  /** The text was withdrawn: what is held back is dropped. */
  restart(): void
}

export type Rule = {
  policy: string
  check: string
  stage: Stage
  /** How many characters a forbidden piece can span: so many are held back on a stream. */
  windowChars: number
  /** Null: nothing wrong. */
  judge(content: unknown): string | null
}

const passed: Verdict = { pass: true }

export const createGuardrails = (rules: readonly Rule[] = []): Guardrails => {
  const check = (stage: Stage, content: unknown): Verdict => {
    for (const rule of rules) {
      if (rule.stage !== stage) continue
      const reason = rule.judge(content)
      if (reason !== null) return { pass: false, policy: rule.policy, check: rule.check, reason }
    }
    return passed
  }
  const windowChars = Math.max(0, ...rules.filter(({ stage }) => stage === 'output').map((rule) => rule.windowChars))

  const openStream = (emit: (text: string) => void): GuardedStream => {
    // What has been let out lately stays in view, because a forbidden piece may begin in it.
    let seen = ''
    let held = ''
    let verdict: Verdict = passed
    const letOut = (chars: number): Verdict => {
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
