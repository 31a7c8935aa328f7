// The dialog before a draft is published. Shows the changes of the draft, and the Resources that the changes concern.
import type { SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { askV3 } from '../../data/api.ts'
import { counted } from '../../data/format.ts'
import { go } from '../../data/router.ts'
import { announce } from '../../parts/announce.ts'
import { FormDialog } from '../../parts/confirm.tsx'
import { Shown, useLoaded } from '../../parts/loaded.tsx'
import { inWorkspace, keyOf, type NamedDestination, pathOfTemplate, readUses, type Uses } from '../template.ts'
import { changesBetween } from './changes.ts'
import { type Draft, nextDraft, textAt } from './draft.ts'

interface PublishProps {
  draft: Draft
  /** Highest published revision of the Template; null: the Template is new. */
  before: SentTemplate | null
  destinations: readonly NamedDestination[]
  onPublished(): void
  onClose(): void
}

export function PublishDialog({ draft, before, destinations, onPublished, onClose }: PublishProps) {
  const id = `${textAt(draft, 'key')}@${textAt(draft, 'version')}`
  const uses = useLoaded(readUses)
  const publish = async () => {
    const made = await askV3<SentTemplate>('POST', inWorkspace('/templates'), draft)
    onPublished()
    announce(`${made.id} is published.`)
    go(pathOfTemplate(made.key, made.version))
  }
  const changes = before === null ? [] : changesBetween(nextDraft(before, before.version, destinations), draft)
  return (
    <FormDialog title={`Publish ${id}?`} act="Publish" fields={[]} send={publish} onClose={onClose}>
      <p>A published revision never changes and is never deleted. New monitors of this Template take it.</p>
      {before !== null && (
        <>
          <Shown of={uses}>{found => <p>{boundSentence(boundTo(before.key, found))}</p>}</Shown>
          <h3>Against {before.id}</h3>
          {changes.length === 0 ? (
            <p>Nothing differs but the version.</p>
          ) : (
            <ul>
              {changes.map(change => (
                <li key={change}>{change}</li>
              ))}
            </ul>
          )}
        </>
      )}
    </FormDialog>
  )
}

const boundTo = (key: string, uses: Uses): number =>
  Object.entries(uses).reduce((sum, [revision, n]) => (keyOf(revision) === key ? sum + n : sum), 0)

function boundSentence(bound: number): string {
  if (bound === 0) return 'No monitor lives by an older revision.'
  const [stay, are, them] = bound === 1 ? ['stays', 'it is', 'it'] : ['stay', 'they are', 'them']
  return `${counted(bound, 'monitor')} of older revisions ${stay} as ${are}, and no incident closes, until you rebind ${them} on the next page.`
}
