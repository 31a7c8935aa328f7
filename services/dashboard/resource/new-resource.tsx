// The page that creates a monitor of a Template.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { askV3 } from '../data/api.ts'
import { pathTo } from '../data/routing.ts'
import { may } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { Empty } from '../parts/states.tsx'
import { inWorkspace, isSystem } from '../templates/template.ts'
import { ResourceForm } from './resource-form.tsx'

export function NewResource({ params: { template = '' } }: { params: Readonly<Record<string, string>> }) {
  pageTitle.value = 'New monitor'
  return may('editor') ? (
    <Shown of={useLoaded(() => askV3<SentTemplate>('GET', inWorkspace(`/templates/${encodeURIComponent(template)}`)))}>
      {found => <Found template={found} />}
    </Shown>
  ) : (
    <Empty title="Not for viewers">
      <p>An editor or owner of the workspace adds monitors.</p>
    </Empty>
  )
}

function Found({ template }: { template: SentTemplate }) {
  const { id, name, summary } = template
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a> / <a href={pathTo('newReporting')}>Add monitor for reports</a>
      </p>
      <h1>
        New monitor: {name} <span class="label">{id}</span>
      </h1>
      {summary !== '' && <p>{summary}</p>}
      {isSystem(template) ? (
        <Empty title="This Template has a form of its own">
          <p>
            <a href={pathTo('newMonitor')}>Watch a website</a>
          </p>
        </Empty>
      ) : (
        <ResourceForm template={template} existing={null} />
      )}
    </>
  )
}
