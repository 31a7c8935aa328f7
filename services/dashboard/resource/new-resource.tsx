// The page that creates a monitor of a Template: of a kind of check, or of something that reports by itself.
import { isWebsiteTemplate } from '#shared/checks/website/website-template.ts'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { pathTo } from '../data/routing.ts'
import { pageTitle } from '../data/title.ts'
import { ForEditors } from '../parts/for-editors.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { Empty } from '../parts/states.tsx'
import { keyOf } from '../templates/template.ts'
import { useTemplate } from '../templates/use-template.ts'
import { kindOf, type Offer, readOffer } from './check-kinds.ts'
import { NewOfKind } from './new-monitor.tsx'
import { jobTemplate, Question } from './question.tsx'
import { ResourceForm } from './resource-form.tsx'

export function NewResource({ params: { template = '' } }: { params: Readonly<Record<string, string>> }) {
  pageTitle.value = 'New monitor'
  const loaded = useLoaded(readOffer)
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a> / <a href={pathTo('newMonitor')}>Add monitor</a>
      </p>
      <ForEditors>
        <Shown of={loaded}>
          {offer => {
            const kind = kindOf(offer.kinds, template)
            if (kind !== null) return <NewOfKind offer={offer} kind={kind} />
            return keyOf(template) === jobTemplate ? <NewJob offer={offer} /> : <OfTemplate reference={template} />
          }}
        </Shown>
      </ForEditors>
    </>
  )
}

const OfTemplate = ({ reference }: { reference: string }) => (
  <Shown of={useTemplate(reference)}>{found => <Found template={found} />}</Shown>
)

const NewJob = ({ offer }: { offer: Offer }) => (
  <>
    <Question {...offer} chosen="job" />
    <Shown of={useTemplate(jobTemplate)}>
      {template => (
        <>
          <p>{template.summary}</p>
          <ResourceForm template={template} existing={null} watched={null} />
        </>
      )}
    </Shown>
  </>
)

function Found({ template }: { template: SentTemplate }) {
  const { id, name, summary } = template
  return (
    <>
      <h1>
        New monitor: {name} <span class="label">{id}</span>
      </h1>
      {summary !== '' && <p>{summary}</p>}
      {isWebsiteTemplate(id) ? (
        <Empty title="New monitors of websites have more options">
          <p>
            Monitors of this Template go on as they are. <a href={pathTo('newMonitor')}>Watch a website</a>
          </p>
        </Empty>
      ) : (
        <ResourceForm template={template} existing={null} watched={null} />
      )}
    </>
  )
}
