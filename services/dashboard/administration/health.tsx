// Health of the installation for administrators: warnings that the operator should look at.
import type { ConditionKind } from '#shared/contracts/incidents/condition.ts'
import { askV3 } from '../data/api.ts'
import { pageTitle } from '../data/title.ts'
import { Button } from '../parts/button.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { AdministrationSections } from '../parts/sections.tsx'
import { Empty } from '../parts/states.tsx'
import { type Column, Table } from '../parts/table/table.tsx'
import { Since, Time } from '../parts/time.tsx'
import { ForAdministrators } from './for-administrators.tsx'

interface Condition {
  kind: ConditionKind
  name: string
  since: string
  summary: string
}

interface State {
  at: string
  version: string
  conditions: readonly Condition[]
}

export function Health() {
  pageTitle.value = 'Health'
  return (
    <>
      <AdministrationSections />
      <ForAdministrators title="Health">
        <Conditions />
      </ForAdministrators>
    </>
  )
}

const words: Readonly<Record<ConditionKind, string>> = {
  location_lost: 'Location without a prober',
  key_expiring: 'Key that expires',
  storage_full: 'Storage nearly full',
  destination_failing: 'Destination that fails',
  dead_letters: 'Dead letters',
  proxy_untrusted: 'Proxy that is not trusted',
  clock_set: 'Clock that was set',
}

const columns: readonly Column<Condition>[] = [
  { head: 'Condition', cell: ({ kind }) => words[kind] },
  { head: 'Of', cell: ({ name }) => (name === '' ? '–' : name) },
  { head: 'For', cell: ({ since }) => <Since at={Date.parse(since)} /> },
  { head: 'Summary', cell: ({ summary }) => summary },
]

function Conditions() {
  const loaded = useLoaded(() => askV3<State>('GET', '/health'))
  return (
    <>
      <div class="head">
        <h1>Health</h1>
        <Button onClick={() => void loaded.reload()}>Read again</Button>
      </div>
      <Shown of={loaded}>
        {({ at, version, conditions }) => (
          <>
            <p class="dim">
              Version {version}, as of <Time at={Date.parse(at)} isLong />. If <code>OPERATOR_WEBHOOK_URL</code> is set, they are
              also sent there.
            </p>
            {conditions.length === 0 ? (
              <Empty title="Nothing needs the operator">
                <p>No location is without a prober, no destination keeps failing, no storage is nearly full.</p>
              </Empty>
            ) : (
              <Table
                label="Conditions"
                columns={columns}
                rows={conditions}
                keyOf={({ kind, name }) => `${kind} ${name}`}
                empty="None."
              />
            )}
          </>
        )}
      </Shown>
    </>
  )
}
