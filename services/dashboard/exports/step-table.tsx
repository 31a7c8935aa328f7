// Table of the objects of a file, with the planned change of every object. Changed objects come first; unchanged objects are folded.
import type { ShownStep } from '#shared/contracts/session/configuration-script.ts'
import { counted, grouped } from '../data/format.ts'
import { type Column, Table } from '../parts/table/table.tsx'

/** Maximum number of rows; more rows would slow the page. */
const rowsMost = 200

export function StepTable({ steps }: { steps: readonly ShownStep[] }) {
  const changing = steps.filter(({ verb }) => verb !== 'left')
  const left = steps.filter(({ verb }) => verb === 'left')
  return (
    <>
      <Rows label="Made and changed" steps={changing} empty="Nothing is made or changed." />
      {left.length > 0 && (
        <details class="left-steps">
          <summary>{counted(left.length, 'object')} left</summary>
          <Rows label="Left" steps={left} empty="" />
        </details>
      )}
    </>
  )
}

function Rows({ label, steps, empty }: { label: string; steps: readonly ShownStep[]; empty: string }) {
  const more = steps.length - rowsMost
  return (
    <>
      <Table
        label={label}
        columns={columns}
        rows={steps.slice(0, rowsMost)}
        keyOf={({ kind, name }) => `${kind} ${name}`}
        empty={empty}
      />
      {more > 0 && <p class="dim">And {grouped(more)} more.</p>}
    </>
  )
}

const columns: readonly Column<ShownStep>[] = [
  { head: 'Result', cell: ({ verb }) => <span class={verb === 'left' ? 'dim' : 'verb'}>{verb}</span> },
  { head: 'Kind', cell: ({ kind }) => kind },
  { head: 'Object', cell: ({ name }) => <code>{name}</code> },
  { head: 'What', cell: ({ what }) => what || '–' },
  { head: 'Line', isNumber: true, cell: ({ line }) => line ?? '–' },
]
