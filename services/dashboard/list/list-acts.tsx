// Actions on the chosen rows; if no row is chosen, on the row under the cursor.
import { counted } from '../data/format.ts'
import { openIncidents } from '../monitors/open-incidents.ts'
import { ActButtons, useActs } from '../monitors/use-acts.tsx'
import { Button } from '../parts/button.tsx'
import { useKeys } from '../parts/keys/keys.ts'
import type { Rows } from './rows.ts'
import { cursor, selection } from './view.ts'

export function ListActs({ rows }: { rows: Rows }) {
  const { begin, dialog } = useActs({
    rows: () => {
      const under = rows.at(cursor.value)
      return selection.count.value > 0 ? [...selection.chosen.value.values()] : under === undefined ? [] : [under]
    },
    onDone: selection.clear,
  })
  useKeys([
    {
      key: 'x',
      words: 'Choose the monitor, for an act on several',
      run: () => {
        const row = rows.at(cursor.value)
        if (row !== undefined) selection.toggle(row)
      },
    },
  ])
  const chosen = [...selection.chosen.value.values()]
  return (
    <>
      {chosen.length > 0 && (
        <div class="chosen acts" role="group" aria-label="Chosen monitors">
          <b>{counted(chosen.length, 'monitor')} chosen</b>
          <ActButtons begin={begin} canTake={openIncidents(chosen).length > 0} />
          <Button look="quiet" onClick={selection.clear}>
            Choose none
          </Button>
        </div>
      )}
      {dialog}
    </>
  )
}
