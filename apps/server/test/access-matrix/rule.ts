import { demoReach, type ErrorCode, narrowedReach, reachesRunsOfOthers } from '@ars/contract'
import type { Row } from './operations.ts'

/** The credential or the object with which the operation is called. */
export const cells = [
  'valid key',
  'no key',
  'bad checksum',
  'revoked key',
  'expired key',
  'key rotated more than 24 h ago',
  'key without the scope',
  'demo key',
  'demo key, agent of the catalog',
  'demo key, own run',
  'token without a run',
  'token without a run, own run',
  'key narrowed to another agent',
  'id of another organisation',
  'deleted id',
  'malformed id',
  'cookie, foreign origin',
  'cookie, no origin',
  'cookie, same origin',
  'token of another run',
  'link to the run',
  'link to another run',
] as const

export type Cell = (typeof cells)[number]

/**
 * The expected result. `allowed`: access is granted, so the call succeeds or is refused for its input, and never for
 * the caller or the object. `none`: the cell does not apply to this operation.
 */
export type Verdict = { readonly status: number; readonly code: ErrorCode } | 'allowed' | 'none'

/** The single access rule, derived from the operation's row in the contract. */
export const verdictOf = (row: Row, cell: Cell): Verdict => {
  const { scope } = row.operation
  const isOpen = scope === 'anyone'
  const namesInPath = Object.keys(row.pathIds).length > 0
  const names = namesInPath || Object.keys(row.neededIds).length > 0
  // What only a person may do is refused to every key and token.
  const admitted = row.needsPerson ? forbidden : 'allowed'
  switch (cell) {
    case 'valid key':
      return admitted
    case 'no key':
    case 'bad checksum':
    case 'revoked key':
    case 'expired key':
    case 'key rotated more than 24 h ago':
      return isOpen ? 'allowed' : unauthorized
    case 'key without the scope':
      return row.isScoped ? forbidden : admitted
    case 'demo key':
      if (demoReach(row.operation) === 'none' || namesAgent(row) || namesRun(row)) return forbidden
      return admitted
    case 'demo key, agent of the catalog':
      return demoReach(row.operation) === 'own' && namesAgent(row) ? 'allowed' : 'none'
    case 'demo key, own run':
      return demoReach(row.operation) === 'own' && namesRun(row) ? 'allowed' : 'none'
    case 'token without a run':
      if (namesRun(row) || row.operation.allRuns || reachesRunsOfOthers(row.operation, {})) return forbidden
      if (row.refusesTokens || row.needsPerson) return forbidden
      return listsByAgent(row) ? 'allowed' : 'none'
    case 'token without a run, own run':
      if (namesRun(row) && row.refusesTokens) return forbidden
      return namesRun(row) ? 'allowed' : 'none'
    case 'key narrowed to another agent':
      return isReachable(row) ? admitted : forbidden
    case 'id of another organisation':
      return names ? notFound : 'none'
    case 'deleted id':
      return namesInPath ? notFound : 'none'
    case 'malformed id':
      if (namesInPath) return notFound
      return names ? { status: 400, code: 'invalid_request' } : 'none'
    case 'cookie, foreign origin':
      return row.isWrite ? crossSite : 'allowed'
    case 'cookie, no origin':
      return row.isWrite && !isOpen ? crossSite : 'allowed'
    case 'cookie, same origin':
      return 'allowed'
    case 'token of another run':
    case 'link to another run':
      return isOpen ? 'allowed' : forbidden
    case 'link to the run':
      return isOpen || row.operation.shared ? 'allowed' : forbidden
  }
}

/** The cell with the most privileged credential: a key, or a browser session where the operation needs a person. */
export const fullCellOf = ({ isScoped, needsPerson }: Row): Cell =>
  isScoped && !needsPerson ? 'valid key' : 'cookie, same origin'

/**
 * The facts of the operation that decide the cell, or null if the operation itself decides. Every operation has the same
 * door, `admit`, which reads these facts and nothing else: operations that agree in them are one cell, which is called once.
 */
const deciding = (row: Row, cell: Cell): readonly unknown[] | null => {
  const { scope, method, crossOrigin, session, shared, lasting, names, path } = row.operation
  const openness = row.isScoped ? 'scoped' : scope
  switch (cell) {
    case 'no key':
    case 'bad checksum':
    case 'revoked key':
    case 'expired key':
    case 'key rotated more than 24 h ago':
    case 'cookie, foreign origin':
    case 'cookie, no origin':
      return [openness, method, crossOrigin]
    case 'cookie, same origin':
      return [openness, method, crossOrigin, session, names]
    case 'token of another run':
    case 'link to the run':
    case 'link to another run':
      if (row.isScoped && verdictOf(row, cell) === 'allowed') return null
      return [openness, method, session, shared, lasting, path.startsWith('/runs/{id}')]
    default:
      return null
  }
}

/** The operations that differ in the cell: of those that agree in what decides it, the first. */
export const distinct = (rows: readonly Row[], cell: Cell): readonly Row[] => {
  const seen = new Set<string>()
  return rows.filter((row) => {
    const facts = deciding(row, cell)
    if (facts === null) return true
    const place = JSON.stringify([inWords(verdictOf(row, cell)), ...facts])
    return !seen.has(place) && seen.add(place)
  })
}

export const inWords = (verdict: Verdict): string =>
  typeof verdict === 'string' ? verdict : `${verdict.status} ${verdict.code}`

/** The agents of the matrix are custom agents, unless the cell says that they are catalog agents. */
const namesAgent = ({ pathIds, neededIds }: Row): boolean => Object.values({ ...pathIds, ...neededIds }).includes('ag')

/** A run or a pipeline run that another key created, unless the cell says otherwise. */
const namesRun = ({ pathIds }: Row): boolean =>
  Object.values(pathIds).some((prefix) => prefix === 'run' || prefix === 'plr')

/**
 * A key for an agent that no cell names: of what belongs to agents it gets lists, which then hold its own, and what it can
 * leave out. All else belongs to the agents of other cells, or to the whole organisation.
 */
const isReachable = (row: Row): boolean => {
  const reach = narrowedReach(row.operation)
  if (reach === 'own') return listsByAgent(row) || row.operation.by !== undefined
  return reach === 'all'
}

/** A list whose items belong to agents. It holds only the items of the agents of the key. */
export const listsByAgent = ({ operation: { method, names }, pathIds, neededIds }: Row): boolean =>
  method === 'GET' && names === 'agents' && Object.keys({ ...pathIds, ...neededIds }).length === 0

const unauthorized = { status: 401, code: 'unauthorized' } as const
const forbidden = { status: 403, code: 'forbidden' } as const
const crossSite = { status: 403, code: 'cross_site_forbidden' } as const
const notFound = { status: 404, code: 'not_found' } as const
