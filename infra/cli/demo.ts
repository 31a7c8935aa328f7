// `./watchkeeper demo`: a website fails and recovers, and every step is printed as it happens. The demo ends on its own or by Ctrl-C.
import { styleText } from 'node:util'
import type { Command } from 'commander'
import { limits } from '#shared/limits/limits.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { runDemo } from '../demo/run-demo.ts'
import { jsonOf, textOf } from '../demo/step-format.ts'
import { exitCodes } from '../runtime/start-error.ts'
import { productVersion } from './product-version.ts'
import { onEndingSignals } from './terminal/ending-signals.ts'

export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('a local website goes down and comes back; every step is printed, nothing is kept')
    .option('--json', 'print one JSON object per step, for scripts')
    .action(demo)
}

/** Resolves when the demo has ended and its files are removed. Throws a StartError. */
async function demo(options: { json?: boolean }): Promise<void> {
  // Only this user may read files of the demo's folder.
  process.umask(0o077)
  const enough = new AbortController()
  endBySignals(enough)
  const clock = createSystemClock()
  const startedAt = clock.monotonic()
  // styleText omits colours if the output is no terminal, or NO_COLOR is set.
  const style = (format: Parameters<typeof styleText>[0], text: string) => styleText(format, text, { stream: process.stdout })
  // A terminal of unknown width reports 0.
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

/** The first signal ends the demo cleanly. A second signal ends the process at once. A closed output counts as a signal. */
function endBySignals(enough: AbortController): void {
  onEndingSignals({
    signals: ['SIGINT', 'SIGTERM', 'SIGHUP'],
    first: () => enough.abort(),
    again: () => process.exit(exitCodes.failed),
  })
  process.stdout.on('error', () => enough.abort())
}
