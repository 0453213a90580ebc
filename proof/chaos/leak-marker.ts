const mark = 'chaos-leak-marker-'

/** Stands in what an organisation sends. Found in an answer to another organisation, it is a leak. */
export const leakMarkerOf = (organisation: string): string => `${mark}${organisation}.`

/** The organisations whose leak marker the text holds. */
export const leakMarkersIn = (text: string): string[] => [
  ...new Set([...text.matchAll(/chaos-leak-marker-([a-z0-9-]+)\./g)].map(([, organisation = '']) => organisation)),
]
