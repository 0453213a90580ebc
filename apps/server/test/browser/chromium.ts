import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/**
 * A real Chromium. It resolves all names of the tests to this computer and accepts every certificate: the tests cover
 * what a browser sends and shows, not whom it trusts.
 */
export const openChromium = (): Promise<Browser> =>
  chromium.launch({
    executablePath: findChromium(),
    args: [
      `--host-resolver-rules=${['example.com', 'test'].map((name) => `MAP *.${name} 127.0.0.1`).join(', ')}`,
      '--disable-gpu',
    ],
  })

const names = ['chromium', 'chromium-browser', 'google-chrome']

const findChromium = (): string => {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const found = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isProgram)
  if (found) return found
  throw new Error(
    'These tests need a real Chromium, and none is on the PATH: apt-get install --no-install-recommends chromium',
  )
}

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
