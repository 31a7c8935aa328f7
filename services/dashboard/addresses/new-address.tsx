// Form that creates an Observation address.
import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { askV3 } from '../data/api.ts'
import { workspaceId } from '../data/session.ts'
import { FormDialog } from '../parts/confirm.tsx'
import { CheckField, ChoiceField, TextField } from '../parts/form/field.tsx'
import { textOf } from '../parts/form/form.tsx'
import { isSystem } from '../templates/template.ts'

export interface MadeAddress {
  id: string
  url: string
  template: string | null
  second_factor: boolean
  description: string
}

type TemplateName = Pick<SentTemplate, 'key' | 'name' | 'rules' | 'system'>

interface NewAddressProps {
  path: string
  onMade(made: MadeAddress): Promise<void>
  onClose(): void
}

const fields = ['description', 'template', 'second_factor']

export function NewAddress({ path, onMade, onClose }: NewAddressProps) {
  const templates = useSignal<readonly TemplateName[]>([])
  useEffect(() => {
    void ownTemplates().then(found => {
      templates.value = found
    })
  }, [templates])
  const send = async (values: FormData) => {
    const template = textOf(values, 'template')
    const bound = template === '' ? {} : { template }
    const body = { ...bound, second_factor: values.has('second_factor'), description: textOf(values, 'description') }
    await onMade(await askV3<MadeAddress>('POST', path, body))
  }
  const choices = templates.value.map(({ key, name }) => ({ value: key, word: `${name} (${key})` }))
  return (
    <FormDialog title="Create an Observation address" act="Create address" fields={fields} send={send} onClose={onClose}>
      <TextField name="description" label="Description" hint="What reports to it." />
      <ChoiceField
        name="template"
        label="Template"
        of={[{ value: '', word: 'Any Template of the workspace' }, ...choices]}
        hint="Bound to a Template, it reports on monitors of that Template alone."
      />
      <CheckField
        name="second_factor"
        label="Needs a second factor"
        hint="A report must also have a full key of an editor or owner in X-Observation-Key."
      />
    </FormDialog>
  )
}

/**
 * Returns the workspace's own Templates, one for each key. If they cannot be read, returns an empty list, because an address needs no
 * Template.
 */
async function ownTemplates(): Promise<readonly TemplateName[]> {
  const path = `/workspaces/${encodeURIComponent(workspaceId.peek() ?? '')}/templates`
  const found = await askV3<readonly TemplateName[]>('GET', path).catch(() => [])
  return [...new Map(found.filter(isOwn).map(one => [one.key, one])).values()]
}

const isOwn = (template: TemplateName): boolean => !isSystem(template)
