// The page that changes a monitor: a website by its own form, a monitor of a published Template by the fields of its Template.
import { useMemo } from 'preact/hooks'
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import type { MonitorDetail } from '#shared/contracts/session/session-monitor.ts'
import { askV3, read } from '../data/api.ts'
import { createLoaded } from '../data/loaded.ts'
import { pageTitle } from '../data/title.ts'
import { enterWorkspaceOf } from '../data/workspace.ts'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { Empty, Failed, Loading } from '../parts/states.tsx'
import { kindOf, readOffer } from '../resource/check-kinds.ts'
import { type ExistingResource, ResourceForm } from '../resource/resource-form.tsx'
import { isSystem } from '../templates/template.ts'
import { useTemplate } from '../templates/use-template.ts'
import { MoreOptions } from './more-options.tsx'
import { type ExistingWebsite, WebsiteForm } from './website-form.tsx'

type Resource = (ExistingWebsite & ExistingResource) & { template: string | null }

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
      {isWebsiteTemplate(found.template) ? (
        <>
          <WebsiteForm existing={found} />
          {found.template !== null && <MoreOptions id={found.id} template={found.template} />}
        </>
      ) : found.template === null ? (
        <Empty title="This monitor has no settings">
          <p>
            It is judged by its <a href={`/monitors/${found.id}/signals`}>signals and rules</a>.
          </p>
        </Empty>
      ) : (
        <OfTemplate key={found.id} existing={found} template={found.template} />
      )}
    </>
  )
}

function OfTemplate({ existing, template }: { existing: ExistingResource; template: string }) {
  const offered = useLoaded(readOffer)
  return (
    <Shown of={useTemplate(template)}>
      {found => (
        <Shown of={offered}>
          {offer => {
            const kind = isSystem(found) ? kindOf(offer.kinds, template) : null
            return <ResourceForm template={found} existing={existing} watched={kind && { ...offer, kind }} />
          }}
        </Shown>
      )}
    </Shown>
  )
}
