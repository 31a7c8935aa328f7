// The values of a chart as a table, and as a file for spreadsheets.
import { instant, utc } from '../data/format.ts'
import { Button } from '../parts/button.tsx'
import { csvOf } from './csv.ts'

/** Largest number of rows in the table. The CSV file has all rows. */
const mostRows = 100

interface TwinProps {
  label: string
  names: readonly string[]
  write(value: number | null): string
  fileName: string
  /** Rows of the table, the oldest first. The values of a row are in the order of the series. */
  rows: readonly { at: number; values: readonly (number | null)[] }[]
}

export function Twin({ label, names, rows, write, fileName }: TwinProps) {
  const newest = rows.toReversed()
  const save = () => {
    const lines = rows.map(({ at, values }) => [utc(at), ...values])
    const text = csvOf(['at', ...names], lines)
    const link = document.createElement('a')
    link.href = URL.createObjectURL(new Blob([text], { type: 'text/csv' }))
    link.download = `${fileName}.csv`
    link.click()
    URL.revokeObjectURL(link.href)
  }
  return (
    <>
      <p>
        <Button onClick={save}>Save as CSV</Button>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
      <section class="scroll short" aria-label={`${label}, as a table`} tabIndex={0}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">From</th>
              {names.map(name => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {newest.slice(0, mostRows).map(({ at, values }) => (
              <tr key={at}>
                <th scope="row">{instant(at)}</th>
                {values.map((value, index) => (
                  <td key={names[index]} class="number">
                    {write(value)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
        {newest.length > mostRows && (
          <p class="dim">
            The newest {mostRows}. The file has all {newest.length}.
          </p>
        )}
      </section>
    </>
  )
}
