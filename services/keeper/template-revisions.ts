// The Template revisions that the Resources in memory are bound to. A revision never changes, so each is read once and kept.
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import type { Template } from '#shared/contracts/template.ts'
import { limits } from '#shared/limits.ts'
import type { Store } from '#shared/store/port.ts'

type Bound = Pick<SubjectDocument, 'workspaceId' | 'template'>

/** The id of the revision that a Resource is bound to; null where a published Template says nothing of it. */
export const revisionIdOf = ({ kind, workspaceId, template }: Bound & Pick<SubjectDocument, 'kind'>): string | null =>
  kind === 'template' && template !== null ? `${workspaceId}/${template}` : null

export class TemplateRevisions {
  /** Least recently read first. */
  readonly #known = new Map<string, Template>()
  readonly #max: number

  constructor(max: number = limits.keeper.templateRevisions) {
    this.#max = max
  }

  /** Reads those that are not known. One that the store lacks is asked for again the next time. */
  async load(store: Store, ids: Iterable<string>): Promise<void> {
    const wanted = new Set(ids)
    const missing = [...wanted].filter(id => !this.#known.has(id))
    if (missing.length === 0) return
    for (const found of await store.get('templates', missing)) if (found !== null) this.#known.set(found.id, found.template)
    for (const id of this.#known.keys()) {
      if (this.#known.size <= this.#max) return
      if (!wanted.has(id)) this.#known.delete(id)
    }
  }

  /** Null where it is not in memory. */
  find({ workspaceId, template }: Bound): Template | null {
    return this.#known.get(`${workspaceId}/${template}`) ?? null
  }

  /** Throws where the store lacks it: such a Resource cannot be judged. */
  readonly of = ({ id, workspaceId, template }: Bound & Pick<SubjectDocument, 'id'>): Template => {
    const found = this.find({ workspaceId, template })
    if (found === null) throw new Error(`the Template ${template} of the Resource ${id} is not stored`)
    return found
  }
}
