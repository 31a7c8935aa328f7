// Process that bundles the dashboard, sends the bundle to its parent, and ends. Its argument is the priority. With a low priority, checks and
// responses do not wait for it. It ends with its parent.
import { constants, setPriority } from 'node:os'
import type { Bundled, Priority } from './assets.ts'
import { bundleDashboard } from './bundle.ts'

const [priority] = process.argv.slice(2) as [Priority]
try {
  if (priority === 'low') setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // Some sandboxes forbid it.
}
process.once('disconnect', () => process.exit())

const message = await bundleDashboard().then(
  (made): Bundled => ({ made }),
  (error: Error): Bundled => ({ fault: error.message }),
)
process.send?.(message, () => process.disconnect())
