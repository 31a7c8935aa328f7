// The offer to change a monitor of a superseded kind to the one that does more, with what changes by it.
import { askV3 } from '../data/api.ts'
import { go } from '../data/router.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { type ListedKind, readKinds } from '../resource/check-kinds.ts'
import { inWorkspace } from '../templates/template.ts'

interface Props {
  id: string
  /** `key@version`. */
  template: string
}

export function MoreOptions({ id, template }: Props) {
  return (
    <Shown of={useLoaded(() => readKinds('short'))}>
      {kinds => {
        const better = kinds.find(({ upgrades }) => upgrades === template)
        return better === undefined ? null : <Change id={id} to={better} />
      }}
    </Shown>
  )
}

function Change({ id, to: { help, template } }: { id: string; to: ListedKind }) {
  const change = useAct(async () => {
    await askV3('POST', inWorkspace(`/resources/${encodeURIComponent(id)}/rebind`), { template })
    go(`/monitors/${id}/edit`)
    return 'It has all options now.'
  })
  return (
    <details class="part-of-form">
      <summary>More options…</summary>
      <p>
        {help} It also tells people before the certificate ends, and when answers are slow. Checks, history, figures and an open
        incident go on as they are, and nobody is notified of the change.
      </p>
      <p>
        <strong>There is no way back.</strong> Generations 1 and 2 of the API no longer show this monitor.
      </p>
      <Button isBusy={change.isBusy} onClick={change.run}>
        Change to all options
      </Button>
    </details>
  )
}
