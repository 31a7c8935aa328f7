// Process that makes one bundle, sends it to its parent, and ends. Its arguments are the bundle's name and the priority. With a low
// priority, checks and responses do not wait for it. It ends with its parent.
import { constants, setPriority } from 'node:os'
import type { Bundled, Bundles, Priority } from './assets.ts'
import { bundleConfiguration, bundleDashboard } from './bundle.ts'

const [name, priority] = process.argv.slice(2) as [keyof Bundles, Priority]
try {
  if (priority === 'low') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // Some sandboxes forbid it.
}
process.once('disconnect', () => process.exit())

const bundlers: { [Name in keyof Bundles]: () => Promise<Bundles[Name]> } = {
  dashboard: bundleDashboard,
  configuration: bundleConfiguration,
}
const message = await bundlers[name]().then(
  (made): Bundled => ({ made }),
  (error: Error): Bundled => ({ fault: error.message }),
)
process.send?.(message, () => process.disconnect())
