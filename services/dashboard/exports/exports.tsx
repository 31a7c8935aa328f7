// Export and import of a workspace's configuration: the files of `./watchkeeper export` in one file. An import shows its plan before it
// changes anything.
import { useSignal } from '@preact/signals'
import { serverNow } from '../data/clock.ts'
import { counted, utc } from '../data/format.ts'
import { may, workspace, workspaceId } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { useAct } from '../parts/act.ts'
import { Button } from '../parts/button.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { SettingsSections } from '../parts/sections.tsx'
import { Empty } from '../parts/states.tsx'
import settingsStyle from '../styles/settings.page.css'
import { exportConfiguration } from './configuration-api.ts'
import style from './exports.page.css'
import { ImportFile } from './import-file.tsx'

addPageStyle(settingsStyle)
addPageStyle(style)

function Exports() {
  pageTitle.value = 'Export and import'
  return (
    <>
      <SettingsSections />
      <h1>Export and import</h1>
      {may('editor') ? (
        <>
          <p class="dim">
            One file says what the workspace has: destinations, Templates, monitors and their alert delivery.{' '}
            <code>./watchkeeper export</code> and <code>apply</code> write and read the same.
          </p>
          <Export />
          <ImportFile key={workspaceId.value} />
        </>
      ) : (
        <Empty title="Not for viewers">
          <p>An editor or owner of the workspace exports and imports its configuration.</p>
        </Empty>
      )}
    </>
  )
}

function Export() {
  const omitted = useSignal<readonly string[] | null>(null)
  const act = useAct(async () => {
    omitted.value = null
    const exported = await exportConfiguration(workspaceId.peek() ?? '')
    save(exported.document ?? '', nameOfFile())
    omitted.value = exported.omitted
    return `${counted(exported.objects, 'object')} exported to ${nameOfFile()}.`
  })
  return (
    <section aria-labelledby="export">
      <h2 id="export">Export</h2>
      <p class="dim">
        The file holds no secrets, no URLs of destinations, no people and keys, and nothing archived. Incidents and history stay
        here.
      </p>
      <Button look="main" isBusy={act.isBusy} onClick={act.run}>
        Download configuration
      </Button>
      {omitted.value !== null && omitted.value.length > 0 && (
        <ul class="left-out">
          {omitted.value.map(sentence => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** Returns a name such as `Default 2026-11-23.yaml`, without characters that file systems refuse. */
const nameOfFile = (): string =>
  `${(workspace.peek()?.name ?? 'workspace').replace(/[^\p{L}\p{N} ._-]+/gu, ' ')} ${utc(serverNow()).slice(0, 10)}.yaml`

function save(text: string, name: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'application/yaml' }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  URL.revokeObjectURL(url)
}

export { Exports as exports }
