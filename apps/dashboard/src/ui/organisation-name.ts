import { createContext, useContext } from 'react'

const context = createContext('')

/** The shell provides it; the title of the tab names it. */
export const OrganisationName = context.Provider
export const useOrganisationName = (): string => useContext(context)
