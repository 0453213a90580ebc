import type { Reply } from '../app.ts'
import { type Credential, createCredentials } from './credentials.ts'
import { makerOf } from './makers.ts'
import type { Row } from './operations.ts'
import { newId } from './people.ts'
import { type Cell, inWords, listsByAgent, type Verdict, verdictOf } from './rule.ts'
import { inputFor, type World } from './world.ts'

/** Calls the cells of the matrix. Each answer is a list of faults: sentences that say what differs from the rule. */
export type Play = {
  cell(row: Row, cell: Cell): Promise<string[]>
  /** The same, with the answer. */
  answer(row: Row, cell: Cell): Promise<{ faults: string[]; reply: Reply }>
  make: MakeId
}

type MakeId = (prefix: string, beside: Readonly<Record<string, string>>) => Promise<string>

export const createPlay = (world: World): Play => {
  const { app, mine, foreign } = world
  const credentialFor = createCredentials(app, mine)
  const make: MakeId = (prefix, beside) => makerOf(prefix).make(app, mine, beside)
  const made = new Map<string, Promise<string>>()

  /** One thing for all cells that change nothing. */
  const once = (place: string, start: () => Promise<string>): Promise<string> => {
    const id = made.get(place) ?? start()
    made.set(place, id)
    return id
  }
  const own: MakeId = (prefix, beside) => once(prefix, () => make(prefix, beside))
  const deleted = async (prefix: string): Promise<string> => {
    const { remove, make: start } = makerOf(prefix)
    if (!remove) return newId(prefix)
    const id = await start(app, mine)
    await remove(app, mine, id)
    return id
  }

  /** The object that the cell names: one of the caller's, unless the cell says otherwise. */
  const idFor =
    (row: Row, cell: Cell, verdict: Verdict, credential: { key?: string | null | undefined; run?: string }): MakeId =>
    async (prefix, beside) => {
      const maker = makerOf(prefix)
      if (cell === 'id of another organisation') return foreign[prefix] ?? ''
      if (cell === 'malformed id') return `${prefix}_nonsense`
      if (cell === 'link to the run' && prefix === 'run') return credential.run ?? ''
      // Only an accepted write can affect the next call.
      const isKept = !(row.isWrite && typeof verdict === 'string')
      const start = (place: string, begin: () => Promise<string>) => (isKept ? once(place, begin) : begin())
      const caller = { ...mine, key: credential.key ?? '' }
      const place = `${prefix} ${cell} ${caller.key}`
      if (cell.endsWith(', own run') && prefix === 'run') return start(place, () => maker.make(app, caller, beside))
      if (cell.endsWith(', own run') && prefix === 'plr') {
        const pl = await own('pl', beside)
        return start(place, () => maker.make(app, caller, { ...beside, pl }))
      }
      if (cell === 'demo key, agent of the catalog' && prefix === 'ag') return mine.agents['test-echo'] ?? ''
      if (cell === 'deleted id') return start(place, () => deleted(prefix))
      return isKept ? own(prefix, beside) : make(prefix, beside)
    }

  /** A run of somebody else, and one of this caller. */
  const twoRuns = async ({ key }: Pick<Credential, 'key'>) => ({
    others: await own('run', {}),
    own: await once(`run of ${key}`, () => makerOf('run').make(app, { ...mine, key: key ?? '' })),
  })

  const play: Play = {
    make,
    cell: async (row, cell) => (await play.answer(row, cell)).faults,
    answer: async (row, cell) => {
      const verdict = expectedOf(row, cell)
      const credential = await credentialFor(row, cell)
      const input = await inputFor(row, idFor(row, cell, verdict, credential))
      const runs =
        seesOwnRuns.has(cell) && verdict === 'allowed' && listsByAgent(row) ? await twoRuns(credential) : null
      const reply = await world.call(row, credential, input)
      const { status, body, text } = reply
      const faults = [...reply.faults]
      const say = (isWrong: boolean, sentence: string): void => void (isWrong && faults.push(`${sentence}: ${text}`))
      if (cell === 'key narrowed to another agent' && status < 300) {
        // Its own agent at the most, and never the one that the runs and deployments of the other cells belong to.
        const agents = new Set(text.match(/\bag_[0-9a-z]{26}\b/g))
        say(agents.size > (listsByAgent(row) ? 1 : 0), 'it shows other agents than those of the key')
        say(agents.has(mine.agents['test-echo'] ?? ''), 'it shows an agent of others')
      }
      if (runs !== null && status < 300) {
        say(text.includes(runs.others), 'it shows a run of others')
        say(row.name === 'runs.list' && !text.includes(runs.own), 'it does not show the run of the caller')
      }
      const code = body?.error?.code
      if (typeof verdict === 'object') {
        say(status !== verdict.status || code !== verdict.code, `it is not ${inWords(verdict)} but ${status}`)
      } else if (status >= 300) {
        // The caller was admitted and the request refused: with an error code of the operation, or for a wrong password.
        const codes: readonly string[] = row.operation.errors
        const isOwn = codes.includes(code) || (status === 401 && asksForPassword(row))
        say(!isOwn, `the caller is not admitted: ${status}`)
        const isMissing = status === 404 && Object.keys(row.pathIds).length > 0
        say(isMissing && !refusedWithoutApproval.includes(row.name), 'the object is not found')
      }
      return { faults, reply }
    },
  }
  return play
}

/** Callers that see only the runs that they created. */
const seesOwnRuns: ReadonlySet<Cell> = new Set(['demo key', 'token without a run'])

/** An object that is kept for the record still exists after its deletion. */
export const expectedOf = (row: Row, cell: Cell): Verdict => {
  const remains = Object.values(row.pathIds).every((prefix) => makerOf(prefix).remains)
  return cell === 'deleted id' && verdictOf(row, cell) !== 'none' && remains ? 'allowed' : verdictOf(row, cell)
}

// The runs here wait for nobody.
export const refusedWithoutApproval = ['runs.held']

const asksForPassword = ({ schema }: Row): boolean =>
  Object.keys(schema.properties ?? {}).some((field) => field.endsWith('password'))
