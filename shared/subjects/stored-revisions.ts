// Reader of stored Template revisions. Detects revisions that cannot be used for judging (docs/reference/v3.md, 4.12).
import { Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { Nullable } from '#shared/contracts/common.ts'
import { scheduleKind } from '#shared/contracts/resources/schedule.ts'
import {
  checkKind,
  Decision,
  maxSeconds,
  pushedKinds,
  type Template,
  type TemplateDocument,
} from '#shared/contracts/resources/template.ts'
import { readDecision } from '#shared/manifest/read-decision.ts'
import { findSystemTemplate, isBuiltIn } from '#shared/manifest/system-templates.ts'
import { type Query, type Store, StoreError, UnreadableDocument } from '#shared/store/port.ts'

/** Reason why a revision cannot be used: it is not stored, or its content cannot come from a publication. */
export type RevisionFault = 'missing' | 'damaged'

/**
 * Returns revisions by id, also of system Templates, with an entry for every id. If the store cannot read a row, the revision is `damaged`; the other revisions are
 * still returned.
 */
export async function readRevisions(store: Store, ids: readonly string[]): Promise<Map<string, Template | RevisionFault>> {
  if (ids.length === 0) return new Map()
  try {
    const found = await store.get('templates', ids)
    return new Map(ids.map((id, i) => [id, revisionOf(id, found[i] ?? null)]))
  } catch (error) {
    if (!isLasting(error)) throw error
    const [only, ...others] = ids
    if (only !== undefined && others.length === 0) return new Map([[only, 'damaged']])
    const each = await Promise.all(ids.map(id => readRevisions(store, [id])))
    return new Map(each.flatMap(one => [...one]))
  }
}

/** A stored revision, intact or damaged. */
export interface StoredRevision extends Pick<TemplateDocument, 'id' | 'key' | 'version' | 'bytes'> {
  template: Template | 'damaged'
}

/** Returns the revisions of a query, in its order. A damaged revision keeps its place, so that the rest of the list can be read. */
export async function findRevisions(store: Store, query: Omit<Query, 'select'>): Promise<StoredRevision[]> {
  try {
    const found = await store.find('templates', query)
    return found.map(document => ({ ...placeOf(document), template: isWhole(document) ? document.template : 'damaged' }))
  } catch (error) {
    if (!isLasting(error)) throw error
    const places = await store.find('templates', { ...query, select: ['key', 'version', 'bytes'] })
    const ids = places.map(({ id }) => id)
    const revisions = await readRevisions(store, ids)
    return places.flatMap(place => {
      const template = revisions.get(place.id) ?? 'missing'
      // The revision was deleted between the two reads.
      return template === 'missing' ? [] : [{ ...placeOf(place), template }]
    })
  }
}

const placeOf = ({ id, key, version, bytes }: Omit<StoredRevision, 'template'>) => ({ id, key, version, bytes })

/** Returns true for an error of the store after which no retry can succeed. */
const isLasting = (error: unknown): boolean =>
  error instanceof UnreadableDocument || (error instanceof StoreError && error.kind === 'permanent')

export const isFault = (revision: Template | RevisionFault | null): revision is RevisionFault => typeof revision === 'string'

/** Returns the text for people that replaces the explanation of a rule, if the rule's revision cannot be used. */
export const notJudged = (template: string | null, fault: RevisionFault): string =>
  `not judged: its Template ${template} is ${fault}`

/** A revision that no workspace has published may be one of the system. */
function revisionOf(id: string, document: TemplateDocument | null): Template | RevisionFault {
  if (document === null) {
    const system = findSystemTemplate(id.slice(id.indexOf('/') + 1))
    return system === null || isBuiltIn(system) ? 'missing' : system
  }
  return isWhole(document) ? document.template : 'damaged'
}

function isWhole({ key, version, template }: TemplateDocument): boolean {
  if (!stored.Check(template) || template.key !== key || template.version !== version) return false
  try {
    for (const { decision } of template.rules) readDecision(decision, '', template)
    return true
  } catch {
    return false
  }
}

const Reference = Type.Object({ meta: Type.String() })
const Wait = Type.Union([Type.Integer({ minimum: 0, maximum: maxSeconds }), Reference])
const Field = Type.Object({
  key: Type.String(),
  type: Type.String(),
  required: Type.Boolean(),
  options: Type.Array(Type.String()),
  min: Nullable(Type.Number()),
  max: Nullable(Type.Number()),
  secret: Type.Boolean(),
})
const Signal = Type.Union([
  Type.Object({
    key: Type.String(),
    kind: Type.Enum([...pushedKinds]),
    everySeconds: Nullable(Type.Number()),
  }),
  Type.Object({
    key: Type.String(),
    kind: Type.Literal(scheduleKind),
    everySeconds: Type.Null(),
    schedule: Type.Object({
      periodSeconds: Nullable(Type.Union([Type.Number(), Reference])),
      cron: Nullable(Type.Union([Type.String(), Reference])),
      zone: Nullable(Type.Union([Type.String(), Reference])),
      graceSeconds: Type.Union([Type.Number(), Reference]),
      first: Type.Union([Type.String(), Reference]),
    }),
  }),
  Type.Object({
    key: Type.String(),
    kind: Type.Literal(checkKind),
    everySeconds: Type.Union([Type.Number(), Reference]),
    check: Type.Object({ type: Type.String() }),
    locations: Reference,
    agreement: Type.Union([Type.String(), Reference]),
  }),
])
const Rule = Type.Object({
  key: Type.String(),
  action: Type.String(),
  wait: Type.Object({
    confirmAfter: Wait,
    recoverAfter: Wait,
    flapping: Type.Optional(Type.Object({ changes: Type.Integer({ minimum: 1 }), withinSeconds: Type.Integer({ minimum: 1 }) })),
  }),
  decision: Decision,
  unknown: Type.Optional(Type.Literal('no_data')),
  destination: Nullable(Type.String()),
  routes: Nullable(Type.Array(Type.Object({ destination: Type.String(), on: Type.Array(Type.String()) }))),
})
/** Fields that reading and judging need. Their bounds were checked when the revision was published. */
const stored = Compile(
  Type.Object({
    key: Type.String(),
    version: Type.Number(),
    name: Type.String(),
    fields: Type.Array(Field),
    signals: Type.Array(Signal, { minItems: 1 }),
    rules: Type.Array(Rule, { minItems: 1 }),
  }),
)
