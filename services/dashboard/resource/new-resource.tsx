// The page that creates a monitor of a Template.
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { pathTo } from '../data/routing.ts'
import { pageTitle } from '../data/title.ts'
import { ForEditors } from '../parts/for-editors.tsx'
import { Shown } from '../parts/loaded.tsx'
import { Empty } from '../parts/states.tsx'
import { useTemplate } from '../templates/use-template.ts'
import { ResourceForm } from './resource-form.tsx'

export function NewResource({ params: { template = '' } }: { params: Readonly<Record<string, string>> }) {
  pageTitle.value = 'New monitor'
  return (
    <ForEditors>
      <Shown of={useTemplate(template)}>{found => <Found template={found} />}</Shown>
    </ForEditors>
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
      {isWebsiteTemplate(id) ? (
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
