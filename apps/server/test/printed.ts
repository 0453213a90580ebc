import { vi } from 'vitest'

/** Runs a command of `ars-server` inside this process, and returns its exit code and what it printed. */
export const printedBy = async (
  command: () => number | Promise<number>,
): Promise<{ code: number; stdout: string; stderr: string }> => {
  const texts = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      texts[stream] += String(text)
      return true
    }),
  )
  try {
    return { code: await command(), ...texts }
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
}
