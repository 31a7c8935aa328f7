// The page that adds a monitor, and the content of the monitoring page in an empty workspace: the question what to watch, with the form of
// the first answer.

import { may } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { ForEditors } from '../parts/for-editors.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { Empty } from '../parts/states.tsx'
import { useTemplate } from '../templates/use-template.ts'
import { type ListedKind, type Offer, readOffer } from './check-kinds.ts'
import { Question } from './question.tsx'
import { ResourceForm } from './resource-form.tsx'

export function NewMonitor() {
  pageTitle.value = 'New monitor'
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a>
      </p>
      <ForEditors>
        <FirstAnswer />
      </ForEditors>
    </>
  )
}

export function FirstRun() {
  if (!may('editor')) {
    return (
      <>
        <h1>Nothing is watched yet.</h1>
        <Empty title="This workspace has no monitor">
          <p>An editor or owner of this workspace can add one.</p>
        </Empty>
      </>
    )
  }
  return <FirstAnswer />
}

function FirstAnswer() {
  return (
    <Shown of={useLoaded(readOffer)}>
      {offer => (offer.kinds[0] === undefined ? null : <NewOfKind offer={offer} kind={offer.kinds[0]} />)}
    </Shown>
  )
}

/** The question with one answer chosen, and the form of this answer. */
export function NewOfKind({ offer, kind }: { offer: Offer; kind: ListedKind }) {
  return (
    <>
      <Question {...offer} chosen={kind} />
      <Shown of={useTemplate(kind.template)}>
        {template => <ResourceForm key={template.id} template={template} existing={null} watched={{ ...offer, kind }} />}
      </Shown>
    </>
  )
}
