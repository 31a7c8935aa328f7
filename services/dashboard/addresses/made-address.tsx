// The URL of a new Observation address, shown once, and a command that reports to this address.
import { Copy } from '../parts/copy.tsx'
import { ShownOnce } from '../parts/shown-once.tsx'
import type { MadeAddress } from './new-address.tsx'
import { reportCommand } from './report-command.ts'

export function Made({ made, onDone }: { made: MadeAddress; onDone(): void }) {
  const command = reportCommand(made)
  return (
    <ShownOnce title={`Address created: ${made.description || 'no description'}`} noun="URL" secret={made.url} onDone={onDone}>
      <p>A first report names its Template and makes the monitor. Put in the keys of yours:</p>
      <pre>
        <code>{command}</code>
      </pre>
      <p>
        <Copy text={command} noun="Command" words="Copy as curl" />
      </p>
    </ShownOnce>
  )
}
