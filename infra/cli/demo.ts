// `./watchkeeper demo`: a website goes down and comes back, every step printed as it happens. It ends by itself, or by Ctrl-C.
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { createSystemClock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'
import { runDemo } from '../demo/run-demo.ts'
import { jsonOf, textOf } from '../demo/step-format.ts'
import { exitCodes } from '../embedded/start-error.ts'
import { onEndingSignals } from './ending-signals.ts'
import { productVersion } from './product-version.ts'

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('a local website goes down and comes back; every step is printed, nothing is kept')
    .option('--json', 'print one JSON object per step, for scripts')
    .action(demo)
}

/** Resolves when all is over and nothing is left of it. Throws a StartError. */
async function demo(options: { json?: boolean }): Promise<void> {
  // What lies in the demo's folder is for this user alone.
  process.umask(0o077)
  const enough = new AbortController()
  endBySignals(enough)
  const clock = createSystemClock()
  const startedAt = clock.monotonic()
  // styleText leaves the colours out where this is no terminal, or NO_COLOR is set.
  const style = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream: process.stdout })
  // A terminal that does not know its width says 0.
  const columns = Math.min(limits.demo.columns, process.stdout.columns || limits.demo.columns)
  try {
    await runDemo({
      environment: process.env,
      version: productVersion,
      clock,
      interrupted: enough.signal,
      show: step => {
        const elapsedMs = clock.monotonic() - startedAt
        console.log(options.json ? jsonOf(step, elapsedMs, clock.now()) : textOf(step, elapsedMs, { columns, style }))
      },
    })
  } finally {
    clock.stop()
  }
}

/** The first signal ends the demo cleanly, a second one at once. A reader that went away is a signal too. */
function endBySignals(enough: AbortController): void {
  onEndingSignals({
    signals: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    first: () => enough.abort(),
    again: () => process.exit(exitCodes.failed),
  })
  process.stdout.on('error', () => enough.abort())
}
