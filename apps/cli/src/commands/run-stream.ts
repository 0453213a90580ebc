import type { Run, RunFrame } from '@agent-run-service/sdk'
import { type ExitCode, exitCodes } from '../exit-code.ts'
import type { Session } from '../session.ts'
import type { Terminal } from '../terminal.ts'
import { clean, oneLine } from '../text.ts'
import { exitCodeOf, outputText, tellEnd, tellQuestions } from './run-view.ts'

export type Frames = AsyncIterable<RunFrame>

/** Shows the frames of a run until it ends: output on stdout, progress on stderr. */
export const followRun = async (
  { terminal, signal, client }: Session,
  frames: Frames,
  knownId?: string,
): Promise<ExitCode> => {
  const words = createWords(terminal)
  let id = knownId
  try {
    for await (const frame of frames) {
      id = frame.run_id
      if (terminal.isJson) terminal.each(frame, () => '')
      else if (frame.type === 'run.requires_action') tellQuestions(terminal, await client().runs.get(id, { signal }))
      else words.take(frame)
      const run = runOf(frame)
      if (run) return tellLast(terminal, words, run)
    }
  } catch (error) {
    if (!signal.aborted || id === undefined) throw error
    words.end()
    terminal.note(`The run continues. Follow it with:  ars runs stream ${id}`)
    terminal.note(`Cancel it with:  ars runs cancel ${id}`)
    return exitCodes.interrupted
  }
  // The run has ended, so no frames follow the last one.
  return exitCodes.ok
}

const tellLast = (terminal: Terminal, words: Words, run: Run): ExitCode => {
  words.end()
  if (!terminal.isJson && !words.wereSaid() && run.output !== null) terminal.result(run, () => outputText(run))
  tellEnd(terminal, run)
  return exitCodeOf(run)
}

const runOf = (frame: RunFrame): Run | undefined =>
  frame.type === 'run.completed' || frame.type === 'run.failed' || frame.type === 'run.cancelled'
    ? frame.run
    : undefined

type Words = { take(frame: RunFrame): void; end(): void; wereSaid(): boolean }

/** Prints the text as it arrives. A terminal cannot retract text, so a reset is noted. */
const createWords = (terminal: Terminal): Words => {
  let isOpen = false
  let isSaid = false
  const end = () => {
    if (isOpen) terminal.write('\n')
    isOpen = false
  }
  return {
    end,
    wereSaid: () => isSaid,
    take: (frame) => {
      if (frame.type === 'run.output.delta') {
        terminal.write(clean(frame.delta))
        isOpen = true
        isSaid = true
        return
      }
      if (frame.type === 'run.output.reset') {
        if (isOpen) note(terminal, end, 'the text above is discarded')
        isSaid = false
        return
      }
      const remark = remarkOf(frame)
      if (remark) note(terminal, end, remark)
    },
  }
}

const note = (terminal: Terminal, end: () => void, text: string): void => {
  end()
  terminal.note(terminal.paint('faint', `· ${text}`))
}

const remarkOf = (frame: RunFrame): string | undefined => {
  if (frame.type === 'run.created') return frame.run_id
  if (frame.type === 'run.tool_call.started' || frame.type === 'run.tool_call.completed') {
    return `${frame.type.slice('run.'.length).replaceAll(/[._]/g, ' ')} ${oneLine(frame.name)}`
  }
  return frame.type === 'run.resumed' || frame.type === 'run.cancelling' ? frame.type.slice('run.'.length) : undefined
}
