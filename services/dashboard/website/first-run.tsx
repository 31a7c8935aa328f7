// Content of the monitoring page in an empty workspace: the form for the first monitor instead of the list.
import { may } from '../data/session.ts'
import { Empty } from '../parts/states.tsx'
import { WebsiteForm } from './website-form.tsx'

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
  return (
    <>
      <h1>Watch your first website</h1>
      <p>Give an address. The first check is made at once, and you see what it found.</p>
      <WebsiteForm existing={null} />
    </>
  )
}
