import { setTimeout as wait } from 'node:timers/promises'
import type { Page } from '@agent-run-service/sdk'
import { tellPage } from './list.ts'
import { localTime } from './moment.ts'
import type { Session } from './session.ts'
import type { Terminal } from './terminal.ts'

/** Long work of the service on a window of time. */
type Job = { id: string; status: string; since: string; until: string }

const lookEveryMs = 500

/** Shows the progress until the job is over. A user who interrupts it ends the watching, not the job. */
export const followJob = async <Read extends Job>(
  { terminal, signal }: Pick<Session, 'terminal' | 'signal'>,
  { read, isOver, progress }: { read(): Promise<Read>; isOver(job: Read): boolean; progress(job: Read): string },
): Promise<Read | 'interrupted'> => {
  try {
    for (;;) {
      const now = await read()
      if (isOver(now)) return now
      terminal.progress(progress(now))
      await wait(lookEveryMs, undefined, { signal })
    }
  } catch (error) {
    if (signal.aborted) return 'interrupted'
    throw error
  }
}

export const tellJobs = <Read extends Job>(
  terminal: Terminal,
  page: Page<Read>,
  { all, progress, nothing }: { all: boolean | undefined; progress(job: Read): string; nothing: string },
): Promise<void> =>
  tellPage(terminal, page, {
    all,
    columns: {
      ID: ({ id }) => id,
      STATUS: ({ status }) => status,
      SINCE: ({ since }) => localTime(since),
      UNTIL: ({ until }) => localTime(until),
      PROGRESS: progress,
    },
    nothing,
  })
