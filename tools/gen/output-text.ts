/** Types with the output of a run. The SDKs add an accessor for its text. */
export const hasOutputText = (name: string): boolean => name === 'Run' || name === 'BatchResult'
