// For each declared signal a command that reports on it.
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { Copy } from '../parts/copy.tsx'
import { curlOf } from './curl.ts'

interface Props {
  resource: MonitorDetail['resource']
  workspace: string
}

export function ReportCommands({ resource, workspace }: Props) {
  const declared = (resource['signals'] ?? []) as { key: string }[]
  return (
    <ul class="plain-list">
      {declared.map(({ key: signal }) => (
        <li key={signal}>
          <code>{signal}</code>{' '}
          <Copy
            noun="Command"
            words="Copy as curl"
            text={curlOf({ origin: location.origin, workspace, resource: String(resource['key']), signal })}
          />
        </li>
      ))}
    </ul>
  )
}
