/** Milliseconds of CPU of this process since it began, all threads together. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

export const memoryUsage = (): NodeJS.MemoryUsage => process.memoryUsage()
