// The first program of the executable file of ars-server: unpacks its files once into a folder of this user, and starts them.
const {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  writeFileSync,
} = require('node:fs')
const { createRequire } = require('node:module')
const { homedir } = require('node:os')
const { dirname, join } = require('node:path')
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea')

// systemd names a folder of the service in CACHE_DIRECTORY.
const { CACHE_DIRECTORY, XDG_CACHE_HOME } = process.env
const home = join(CACHE_DIRECTORY || XDG_CACHE_HOME || join(homedir(), '.cache'), 'ars-server')

const unpack = (folder) => {
  mkdirSync(home, { recursive: true, mode: 0o700 })
  const { uid, mode } = lstatSync(home)
  // Another user who can write there could replace the program that this user runs.
  if (uid !== process.getuid() || (mode & 0o022) !== 0) throw new Error(`${home} must belong to this user alone`)
  const work = mkdtempSync(join(home, 'work-'))
  chmodSync(work, 0o700)
  for (const key of getAssetKeys()) {
    if (!key.startsWith('files/')) continue
    const file = join(work, key.slice('files/'.length))
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, new Uint8Array(getRawAsset(key)))
  }
  // A program of the file system may import modules; the one inside the executable may not.
  writeFileSync(join(work, 'start.cjs'), "import('./main.mjs')\n")
  try {
    renameSync(work, folder)
  } catch (error) {
    // Another process was quicker.
    rmSync(work, { recursive: true })
    if (!existsSync(folder)) throw error
  }
}

try {
  const folder = join(home, getAsset('name', 'utf8'))
  if (!existsSync(folder)) unpack(folder)
  createRequire(join(folder, 'start.cjs'))('./start.cjs')
} catch (error) {
  process.stderr.write(
    `ars-server cannot unpack its files: ${error.message}\nSet XDG_CACHE_HOME to a folder that it may write.\n`,
  )
  process.exit(1)
}
