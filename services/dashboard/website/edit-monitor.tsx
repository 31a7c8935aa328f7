// The page that changes a website monitor.
import { useMemo } from 'preact/hooks'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { askV3, read } from '../data/api.ts'
import { createLoaded } from '../data/loaded.ts'
import { pageTitle } from '../data/title.ts'
import { enterWorkspaceOf } from '../data/workspace.ts'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { type ExistingWebsite, WebsiteForm } from './website-form.tsx'

type Resource = ExistingWebsite & { template: string | null }

export function EditMonitor({ params }: { params: Readonly<Record<string, string>> }) {
  const { id = '' } = params
  const resource = useMemo(() => {
    const loaded = createLoaded(async () => {
      const monitor = await read<MonitorDetail>(`/session/monitors/${encodeURIComponent(id)}`)
      enterWorkspaceOf(monitor)
      return askV3<Resource>('GET', `/workspaces/${monitor.workspace_id}/resources/${encodeURIComponent(id)}?answers=named`)
    })
    void loaded.reload()
    return loaded
  }, [id])
  const found = resource.value.value
  pageTitle.value = found === null ? 'Edit' : `Edit ${found.name}`
  if (found === null) {
    return resource.failure.value === null ? (
      <Loading />
    ) : (
      <Failed error={resource.failure.value} onRetry={() => void resource.reload()} />
    )
  }
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a> / <a href={`/monitors/${found.id}`}>{found.name}</a>
      </p>
      <h1>Edit {found.name}</h1>
      {found.template === 'website-check@1' ? (
        <WebsiteForm existing={found} />
      ) : (
        <Empty title="This monitor is no website">
          {found.template === null ? (
            <p>
              It is judged by its <a href={`/monitors/${found.id}/signals`}>signals and rules</a>.
            </p>
          ) : (
            <p>Its settings come from its Template.</p>
          )}
        </Empty>
      )}
    </>
  )
}
