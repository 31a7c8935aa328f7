// Template revisions of the Resources in memory. A revision never changes, so each revision is read once and kept.

import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Store } from '#shared/store/port.ts'
import { isFault, type RevisionFault, readRevisions } from '#shared/subjects/stored-revisions.ts'
import { UnusableTemplate } from '../step/judging/resource-template.ts'
import type { TemplateOf } from '../step/types.ts'

type Bound = Pick<SubjectDocument, 'workspaceId' | 'template'>

/** The id of the revision that a Resource is bound to; null if it is bound to no published Template. */
export const revisionIdOf = ({ kind, workspaceId, template }: Bound & Pick<SubjectDocument, 'kind'>): string | null =>
  kind === 'template' && template !== null ? `${workspaceId}/${template}` : null

export class TemplateRevisions {
  /** Revisions by id, the least recently read first. */
  readonly #known = new Map<string, Template | RevisionFault>()
  readonly #max: number

  constructor(max: number = limits.keeper.templateRevisions) {
    this.#max = max
  }

  /** Reads the unknown revisions. A revision that cannot be used is read again the next time, because it may have been restored. */
  async load(store: Store, ids: Iterable<string>): Promise<void> {
    const wanted = new Set(ids)
    const missing = [...wanted].filter(id => isFault(this.#known.get(id) ?? 'missing'))
    if (missing.length === 0) return
    for (const [id, revision] of await readRevisions(store, missing)) this.#known.set(id, revision)
    for (const id of this.#known.keys()) {
      if (this.#known.size <= this.#max) return
      if (!wanted.has(id)) this.#known.delete(id)
    }
  }

  /** Returns the revision; null: not in memory, or unusable for judging. */
  find({ workspaceId, template }: Bound): Template | null {
    const known = this.#known.get(`${workspaceId}/${template}`) ?? null
    return isFault(known) ? null : known
  }

  /** Returns the revision. Throws UnusableTemplate if it is unusable for judging. */
  readonly of: TemplateOf = bound => {
    const known = this.#known.get(`${bound.workspaceId}/${bound.template}`) ?? 'missing'
    if (isFault(known)) throw new UnusableTemplate(bound, known)
    return known
  }
}
