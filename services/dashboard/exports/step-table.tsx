// Table of the objects of a file, with the planned change of every object. Changed objects come first; unchanged objects are folded.
import type { ConfigurationStep } from '#shared/contracts/session/configuration.ts'
import { counted, grouped } from '../data/format.ts'
import { type Column, Table } from '../parts/table/table.tsx'

/** Maximum number of rows; more rows would slow the page. */
const rowsMost = 200

export function StepTable({ steps }: { steps: readonly ConfigurationStep[] }) {
  const changing = steps.filter(({ result }) => result !== 'left')
  const left = steps.filter(({ result }) => result === 'left')
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

function Rows({ label, steps, empty }: { label: string; steps: readonly ConfigurationStep[]; empty: string }) {
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

const columns: readonly Column<ConfigurationStep>[] = [
  { head: 'Result', cell: ({ result }) => <span class={result === 'left' ? 'dim' : 'verb'}>{result}</span> },
  { head: 'Kind', cell: ({ kind }) => kind },
  { head: 'Object', cell: ({ name }) => <code>{name}</code> },
  { head: 'What', cell: ({ what }) => what || '–' },
  { head: 'Line', isNumber: true, cell: ({ line }) => line ?? '–' },
]
