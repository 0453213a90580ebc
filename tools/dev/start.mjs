// Runs on every Node, to say which one `pnpm dev` needs: an older one cannot load TypeScript.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
if (major > 24 || (major === 24 && minor >= 12)) await import('./main.ts')
else {
  console.error(`pnpm dev needs Node 24.12 or newer. This is Node ${process.versions.node}.`)
  process.exitCode = 1
}
