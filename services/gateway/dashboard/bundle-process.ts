// Process that makes one bundle, sends it to its parent, and ends. Its argument is the bundle's name. It has a low priority, so that checks
// and responses do not wait for it. It ends with its parent.
import { constants, setPriority } from 'node:os'
import type { Bundled, Bundles } from './assets.ts'
import { bundleConfiguration, bundleDashboard } from './bundle.ts'

try {
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // Some sandboxes forbid it.
}
process.once('disconnect', () => process.exit())

const bundlers: { [Name in keyof Bundles]: () => Promise<Bundles[Name]> } = {
  dashboard: bundleDashboard,
  configuration: bundleConfiguration,
}
const name = process.argv[2] as keyof Bundles
const message = await bundlers[name]().then(
  (made): Bundled => ({ made }),
  (error: Error): Bundled => ({ fault: error.message }),
)
process.send?.(message, () => process.disconnect())
