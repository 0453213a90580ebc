import { createContext, useContext } from 'react'
import { client } from '../../api/client.ts'
import type { RunReads } from '../../api/runs.ts'

/** Where the parts of the run page read from: the session of the person, or a link, which shows one run and nothing else. */
export type RunSource = { readonly runs: RunReads; readonly isShared: boolean }

const Source = createContext<RunSource>({ runs: client.runs, isShared: false })

export const RunSourceProvider = Source.Provider

export const useRunSource = (): RunSource => useContext(Source)
