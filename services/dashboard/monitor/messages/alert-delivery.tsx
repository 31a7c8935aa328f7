// Alert delivery of a monitor: a table of destinations and kinds of messages with check boxes. A sentence explains the checked boxes.
import { useSignal } from '@preact/signals'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { isClassic } from '../../data/is-classic.ts'
import { may } from '../../data/session.ts'
import { announce } from '../../parts/announce.ts'
import { Button } from '../../parts/button.tsx'
import { Form } from '../../parts/form/form.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { addPageStyle } from '../../parts/page-style.ts'
import style from './alert-delivery.page.css'
import {
  type AlertDelivery as AlertDeliveryRead,
  type Destination,
  deliveryWords,
  isChosen,
  kinds,
  kindWords,
  type Row,
  readAlertDelivery,
  readUsual,
  saveRows,
  shownRows,
  storedRows,
  tableOf,
  toggled,
} from './alert-delivery.ts'

addPageStyle(style)

export function AlertDelivery({ detail }: { detail: MonitorDetail }) {
  const { kind, resource } = detail
  if (!isClassic(detail)) return <ByTemplate reference={String(resource['template'])} />
  return <ByTable table={tableOf(kind, String(resource['id']), String(resource['key']))} />
}

/**
 * Shown for a monitor with a Template, because the Template's rules name the destinations. A rule without destinations uses the default
 * destination.
 */
function ByTemplate({ reference }: { reference: string }) {
  const [key = ''] = reference.split('@')
  return (
    <p>
      Its <a href={`/templates/${encodeURIComponent(key)}`}>Template</a> says of each rule which destinations get its messages.
      The open incident names them. <Usual />
    </p>
  )
}

/** Says who gets the messages of a rule that names no destination. */
function Usual() {
  const usual = useLoaded(readUsual).value.value
  if (usual === null) return null
  return (
    <>
      {usual.name === null
        ? 'A rule that names none notifies nobody: the workspace has no default.'
        : `A rule that names none notifies ${usual.name}, the default of the workspace.`}
    </>
  )
}

function ByTable({ table }: { table: string }) {
  const loaded = useLoaded(() => readAlertDelivery(table, may('editor')))
  return (
    <Shown of={loaded}>
      {read =>
        read.destinations.length === 0 ? (
          <p>
            {deliveryWords(read)} {read.usual === null && <a href="/settings/destinations">Destinations</a>}
          </p>
        ) : (
          <Rows key={JSON.stringify(read.rows)} read={read} table={table} onSaved={loaded.reload} />
        )
      }
    </Shown>
  )
}

function Rows({ read, table, onSaved }: { read: AlertDeliveryRead; table: string; onSaved(): Promise<void> }) {
  const rows = useSignal<readonly Row[]>(read.rows)
  const isChanged = JSON.stringify(rows.value) !== JSON.stringify(read.rows)
  const mayChange = may('editor')
  const send = async () => {
    await saveRows(table, rows.peek())
    announce(`Saved. ${deliveryWords({ ...read, rows: rows.peek() })}`)
    await onSaved()
  }
  const body = (
    <>
      <Choices
        destinations={read.destinations}
        rows={shownRows(rows.value, read.destinations)}
        mayChange={mayChange}
        onChange={chosen => (rows.value = storedRows(chosen, read.destinations))}
      />
      <p role="status">
        {isChanged && <b>After saving: </b>}
        {deliveryWords({ ...read, rows: rows.value })}
      </p>
    </>
  )
  if (!mayChange) return body
  const beside = isChanged ? <Button onClick={() => (rows.value = read.rows)}>Cancel</Button> : undefined
  return (
    <Form fields={[]} act="Save alert delivery" send={send} beside={beside}>
      {body}
    </Form>
  )
}

interface ChoicesProps {
  destinations: readonly Destination[]
  rows: readonly Row[]
  mayChange: boolean
  onChange(rows: readonly Row[]): void
}

function Choices({ destinations, rows, mayChange, onChange }: ChoicesProps) {
  return (
    <table class="table alert-delivery">
      <thead>
        <tr>
          <th scope="col">Destination</th>
          {kinds.map(kind => (
            <th key={kind} scope="col">
              {kindWords[kind]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {destinations.map(({ id, name, enabled, default: isDefault }) => (
          <tr key={id}>
            <th scope="row" dir="auto">
              {name}
              {isDefault && <span class="dim"> default</span>}
              {!enabled && <span class="dim"> disabled</span>}
            </th>
            {kinds.map(kind => (
              <td key={kind}>
                <input
                  type="checkbox"
                  name={`${id}:${kind}`}
                  aria-label={`${kindWords[kind]} to ${name}`}
                  checked={isChosen(rows, id, kind)}
                  disabled={!mayChange}
                  onChange={() => onChange(toggled(rows, id, kind))}
                />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
