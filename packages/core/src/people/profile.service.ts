import type { Session } from '@ars/contract'
import type { Database } from '@ars/platform/db/database'
import type { IdMaker } from '@ars/platform/id'
import type { Ctx } from '../ctx.ts'
import { Fault } from '../fault.ts'
import { notesOfPerson, recordAll } from './audit-note.service.ts'
import { ownSession, type SessionService } from './session.service.ts'
import { lockUserName, setUserName } from './user.store.ts'

export type ProfileService = {
  /** Changes the name of the person of the session. */
  rename(ctx: Ctx, name: string): Promise<Session>
}

type Deps = { auth: Database; newId: IdMaker; sessions: SessionService }

export const createProfiles = ({ auth, newId, sessions }: Deps): ProfileService => ({
  rename: async (ctx, name) => {
    const { user } = ownSession(ctx)
    await auth.transaction(null, async (tx) => {
      const before = await lockUserName(tx, user)
      if (before === null) throw new Fault('unauthorized', 'The session has ended')
      if (before === name) return
      await setUserName(tx, user, name)
      const act = { action: 'user.renamed', before: { name: before }, after: { name } }
      await recordAll(tx, await notesOfPerson(tx, { visitor: ctx, newId, user }, act))
    })
    return sessions.current(ctx)
  },
})
