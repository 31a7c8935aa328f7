// A table of few rows. A wide table scrolls within its frame, and the page never scrolls sideways. On a phone, a row becomes a list of its
// cells.
import type { ComponentChildren } from 'preact'
import { addPageStyle } from '../page-style.ts'
import style from './table.page.css'

addPageStyle(style)

export interface Column<Row> {
  head: string
  /** True if the column contains numbers, which are aligned right. */
  isNumber?: boolean
  cell(row: Row): ComponentChildren
}

interface TableProps<Row> {
  label: string
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  keyOf(row: Row): string
  /** Content that replaces a table without rows. */
  empty: ComponentChildren
}

/** Largest number of columns that fit a phone. On a phone, the rows of a table with more columns become lists. */
const stacksFrom = 3

export function Table<Row>({ label, columns, rows, keyOf, empty }: TableProps<Row>) {
  if (rows.length === 0) return <p class="dim">{empty}</p>
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard
    <section class="scroll" aria-label={label} tabIndex={0}>
      <table class="table" data-stacks={columns.length > stacksFrom}>
        <thead>
          <tr>
            {columns.map(({ head, isNumber }) => (
              <th key={head} scope="col" class={isNumber ? 'number' : undefined}>
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)}>
              {columns.map(({ head, isNumber, cell }) => (
                <td key={head} data-head={head} class={isNumber ? 'number' : undefined}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
