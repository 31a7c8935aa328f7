// The page that creates a custom subject.
import { askV3 } from '../data/api.ts'
import { askV2 } from '../data/api-v2.ts'
import { go } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { workspaceId } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { announce } from '../parts/announce.ts'
import { ButtonLink } from '../parts/button.tsx'
import { ForEditors } from '../parts/for-editors.tsx'
import { TextField } from '../parts/form/field.tsx'
import { Form, textOf } from '../parts/form/form.tsx'

function NewSubject() {
  pageTitle.value = 'New monitor for reports'
  return (
    <>
      <p class="crumbs">
        <a href="/">Monitoring</a>
      </p>
      <h1>Watch what reports by itself</h1>
      <ForEditors>
        <p>
          A backup, a queue, a fleet of sensors: something that reports how it is. It has signals, to which it reports, and rules,
          which decide that there is trouble.
        </p>
        <NameForm />
      </ForEditors>
    </>
  )
}

function NameForm() {
  const send = async (values: FormData) => {
    const name = textOf(values, 'name')
    const id = await createSubject(name)
    announce(`${name} is added. Give it a signal next.`)
    go(pathTo('signals', { id }))
  }
  return (
    <Form fields={['name']} act="Add monitor" send={send} beside={<ButtonLink href="/">Cancel</ButtonLink>}>
      <TextField name="name" label="Name" placeholder="Nightly backup" maxLength={100} autoFocus />
    </Form>
  )
}

/** Resolves with the id of the new subject. */
async function createSubject(name: string): Promise<string> {
  const made = await askV2<{ id: string }>('POST', '/subjects', { workspace_id: workspaceId.peek(), name })
  const resource = `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/resources/${encodeURIComponent(made.id)}`
  return (await askV3<{ id: string }>('GET', resource)).id
}

export { NewSubject as newSubject }
