// Machine and incident for other tools: as files to download, or in the Stately inspector. The inspector opens in a popup, after a warning
// that data leave the installation.
import { useSignal } from '@preact/signals'
import { announce } from '../parts/announce.ts'
import { Button } from '../parts/button.tsx'
import { lazy } from '../parts/lazy.tsx'
import type { IncidentPage } from './page-state.ts'

const InspectorDialog = lazy(() => import('./inspector-dialog.tsx').then(it => it.InspectorDialog))

const forms = [
  { form: 'source', word: 'XState source' },
  { form: 'json', word: 'JSON for the Stately editor' },
  { form: 'mermaid', word: 'Mermaid diagram' },
] as const

export function Elsewhere({ page }: { page: IncidentPage }) {
  const isAsking = useSignal(false)
  return (
    <section aria-labelledby="elsewhere">
      <h3 id="elsewhere">Open elsewhere</h3>
      <p class="acts">
        {forms.map(({ form, word }) => (
          <Button key={form} look="quiet" onClick={() => void download(form)}>
            {word}
          </Button>
        ))}
        <Button
          look="quiet"
          onClick={() => {
            isAsking.value = true
          }}
        >
          Stately inspector
        </Button>
      </p>
      {isAsking.value && (
        <InspectorDialog
          page={page}
          onClose={() => {
            isAsking.value = false
          }}
        />
      )}
    </section>
  )
}

const download = (form: string): Promise<void> =>
  import('./download-machine.ts')
    .then(it => it.downloadMachine(form))
    .catch(() => announce('This could not be loaded. Try again.', { isRefusal: true }))
