// The runs of a monitor's scheduled signals: the last ones as bars, the newest output, the next ones, and the lines by which a job reports.
import { useEffect, useMemo } from 'preact/hooks'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { Bars } from '../charts/bars.tsx'
import { askV3 } from '../data/api.ts'
import { now } from '../data/clock.ts'
import { counted } from '../data/format.ts'
import { createLoaded } from '../data/loaded.ts'
import { may } from '../data/session.ts'
import { pathOfResource } from '../monitor/resource-path.ts'
import { Copy } from '../parts/copy.tsx'
import { Shown } from '../parts/loaded.tsx'
import { useTemplate } from '../templates/use-template.ts'
import { expectedRunsOf, nextRuns, runIn } from './expected-runs.ts'
import { pingLines } from './ping-lines.ts'
import { barOf, endsOf, newestOutput, type RunEntry, type ScheduledOf, scheduledIn, standingOf } from './run-entries.ts'

const entriesRead = 100
const runsShown = 40
const runsAhead = 3

export function Runs({ detail }: { detail: MonitorDetail }) {
  const template = useTemplate(String(detail.resource['template']))
  return (
    <Shown of={template}>
      {found => (
        <>
          {scheduledIn(detail).map(signal => (
            <OfSignal key={signal.key} detail={detail} signal={signal} template={found} />
          ))}
        </>
      )}
    </Shown>
  )
}

interface OfSignalProps {
  detail: MonitorDetail
  signal: ScheduledOf
  template: SentTemplate
}

function OfSignal({ detail, signal, template }: OfSignalProps) {
  const path = `${pathOfResource(detail)}/observations?signal=${encodeURIComponent(signal.key)}&limit=${entriesRead}`
  const entries = useMemo(() => createLoaded(() => askV3<readonly RunEntry[]>('GET', path)), [path])
  useEffect(() => void entries.reload(), [entries, detail])
  return (
    <>
      <p>{standingOf(signal.schedule, now.value)}</p>
      <Shown of={entries}>{found => <Last entries={found} />}</Shown>
      <Ahead detail={detail} signal={signal} template={template} />
      {may('editor') && detail.row !== null && <HowToReport detail={detail} signal={signal} template={template} />}
    </>
  )
}

function Last({ entries }: { entries: readonly RunEntry[] }) {
  const ends = endsOf(entries).slice(0, runsShown)
  const output = newestOutput(entries)
  return (
    <>
      {ends.length === 0 ? (
        <p class="dim">No run has ended yet.</p>
      ) : (
        <figure class="results">
          <Bars label={counted(ends.length, 'run')} bars={ends.toReversed().map(barOf)} page={10} />
        </figure>
      )}
      {output !== null && (
        <details>
          <summary>Newest output</summary>
          <pre>{output}</pre>
        </details>
      )}
    </>
  )
}

function Ahead({ detail, signal, template }: OfSignalProps) {
  const stated = template.signals.find(({ key }) => key === signal.key)
  const answers = detail.resource['meta'] as Readonly<Record<string, unknown>>
  const expected = stated === undefined ? null : expectedRunsOf(stated, field => answers[field])
  const { expected_at: first } = signal.schedule
  if (expected === null || first === null) return null
  const from = Date.parse(first)
  const after = nextRuns(expected, from, runsAhead - 1)
  const runs = [from, ...(typeof after === 'string' ? [] : after)]
  return (
    <>
      <p>{from <= now.value ? 'It was expected:' : 'The next runs:'}</p>
      <ol>
        {runs.map(at => (
          <li key={at}>{runIn(expected.zone, at)}</li>
        ))}
      </ol>
    </>
  )
}

interface PingAddress {
  signal: string
  url: string
  push_url: string | null
}

function HowToReport({ detail, signal, template }: OfSignalProps) {
  const path = `${pathOfResource(detail)}/ping-addresses`
  const addresses = useMemo(() => createLoaded(() => askV3<readonly PingAddress[]>('GET', path)), [path])
  useEffect(() => void addresses.reload(), [addresses])
  const stated = template.signals.find(({ key }) => key === signal.key)
  const answers = detail.resource['meta'] as Readonly<Record<string, unknown>>
  const cron = stated === undefined ? '' : (expectedRunsOf(stated, field => answers[field])?.cron ?? '')
  return (
    <Shown of={addresses}>
      {found => {
        const address = found.find(one => one.signal === signal.key)
        if (address === undefined) return null
        return (
          <details open={signal.schedule.last === null}>
            <summary>How a job reports</summary>
            <p>Whoever has this address can report. It reads nothing.</p>
            <dl class="commands">
              {pingLines(address.url, cron).map(({ name, line }) => (
                <div key={name}>
                  <dt>{name}</dt>
                  <dd>
                    <code>{line}</code> <Copy noun="Line" text={line} />
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        )
      }}
    </Shown>
  )
}
