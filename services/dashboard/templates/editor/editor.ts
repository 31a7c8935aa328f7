// State of the editor of a Template: the draft, the Observations for its preview, and the server's preview. A preview is requested when a
// person has not typed for a short time. An older response never replaces a newer one.
import { computed, type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { Refusal, sentenceOf } from '../../data/api.ts'
import { createAsking } from '../../data/asking.ts'
import { type Observation, type SampleName, sampleLocation, sampleOf } from '../preview/samples.ts'
import { type Draft, isObject, itemsAt, nearestPlace, numberOr, textAt, withValue } from './draft.ts'

export interface PreviewIncident {
  opened_at: string
  confirmed_at: string | null
  closed_at: string | null
  /** What happened, and what was judged then. */
  history: readonly { kind: string; condition: string }[]
}

export interface PreviewRule {
  key: string
  status: 'problem' | 'ok' | 'no_data' | null
  explanation: string | null
  incidents: readonly PreviewIncident[]
  incidents_omitted?: number
}

export interface Preview {
  rules: readonly PreviewRule[]
  warnings: readonly { signal: string; text: string }[]
}

/** A preview, and the draft and the Observations from which the server made the preview. */
export interface Judged extends Preview {
  draft: Draft
  observations: readonly Observation[]
  at: string
}

interface Refused {
  /** Dotted place, as the server names it; null: the refusal names no place. */
  place: string | null
  sentence: string
}

export interface Editor {
  draft: ReadonlySignal<Draft>
  /** Name of the chosen sample, or `own` for the user's own Observations. */
  sample: Signal<SampleName | 'own'>
  /** The user's own Observations, as JSON. */
  own: Signal<string>
  /** Values that a person has typed for the fields of the example Resource, by the key of the field. */
  answers: ReadonlySignal<Readonly<Record<string, string>>>
  /** Newest preview that the server could make; null: no preview yet. */
  judged: ReadonlySignal<Judged | null>
  /** Fault of the present draft; null: the draft has no fault, or its fault is not known yet. */
  refusal: ReadonlySignal<Refused | null>
  isJudging: ReadonlySignal<boolean>
  set(place: string, value: unknown): void
  replace(draft: Draft): void
  answer(key: string, text: string): void
  /** Requests a preview of the present draft after `pauseMs` without a further call. */
  judgeSoon(): void
  stop(): void
}

export interface EditorContext {
  preview(body: object, signal: AbortSignal): Promise<Preview>
  schedule(ms: number, run: () => void): () => void
  /** Returns the present instant, ms since the epoch. */
  now(): number
  onChange(draft: Draft): void
}

/** Time without typing after which a preview is requested, ms. */
export const pauseMs = 350

export function createEditor(start: Draft, { preview, schedule, now, onChange }: EditorContext): Editor {
  const draft = signal(start)
  const sample = signal<SampleName | 'own'>('fails')
  const own = signal('[]')
  const answers = signal<Readonly<Record<string, string>>>({})

  const judge = async (given: Draft, signal: AbortSignal): Promise<Judged> => {
    const { observations, at } = tried(given, sample.peek(), own.peek(), now())
    const meta = metaOf(given, answers.peek())
    const found = await preview({ manifest: worded(given), meta, observations, ...(at === null ? {} : { at }) }, signal)
    return { ...found, draft: given, observations, at: at ?? observations.at(-1)?.at ?? new Date(now()).toISOString() }
  }
  const asking = createAsking({ ask: judge, schedule, waitMs: pauseMs })
  const judgeSoon = () => asking.change(draft.peek())
  const change = (next: Draft) => {
    draft.value = next
    onChange(next)
    judgeSoon()
  }
  return {
    ...{ draft, sample, own, answers, judgeSoon },
    judged: asking.answer,
    refusal: computed(() => refusalOf(asking.failure.value)),
    isJudging: asking.isOld,
    set: (place, value) => change(withValue(draft.peek(), place, value)),
    replace: change,
    answer: (key, text) => {
      answers.value = { ...answers.peek(), [key]: text }
      judgeSoon()
    },
    stop: asking.stop,
  }
}

/**
 * Returns the draft with invented texts for missing names and texts, so that an unfinished draft can be previewed. Other faults stay in the
 * draft.
 */
function worded(draft: Draft): Draft {
  const { key, name, rules } = draft
  const withAction = (rule: unknown) => (isObject(rule) ? { ...rule, action: orWord(rule['action'], '(no action yet)') } : rule)
  return {
    ...draft,
    key: orWord(key, 'untitled'),
    name: orWord(name, 'Untitled'),
    ...(Array.isArray(rules) ? { rules: rules.map(withAction) } : {}),
  }
}

const orWord = (value: unknown, word: string): unknown => (value === undefined || value === '' ? word : value)

/**
 * Returns words about a missing part of the draft; null: no part is missing. The draft can be previewed without this part, but not
 * published. The returned words complete a sentence.
 */
export function lackOf(draft: Draft): string | null {
  if (textAt(draft, 'key') === '' || textAt(draft, 'name').trim() === '') return 'give the Template a key and a name'
  const isWithout = (rule: unknown) => isObject(rule) && textAt(rule, 'action').trim() === ''
  return itemsAt(draft, 'rules').some(isWithout) ? 'give each rule an action' : null
}

const refusalOf = (failure: unknown): Refused | null =>
  failure === null ? null : { place: failure instanceof Refusal ? failure.field : null, sentence: sentenceOrMessage(failure) }

const sentenceOrMessage = (error: unknown): string =>
  error instanceof SyntaxError ? `The Observations are no JSON: ${error.message}` : sentenceOf(error)

function tried(
  draft: Draft,
  sample: SampleName | 'own',
  own: string,
  now: number,
): { observations: Observation[]; at: string | null } {
  if (sample !== 'own') return sampleOf(draft, sample, now)
  const sent: unknown = JSON.parse(own)
  return { observations: Array.isArray(sent) ? sent : [], at: null }
}

/** Returns the typed values, converted to the types of their fields. Omits empty values. The preview has one Location, of its own. */
export function metaOf(draft: Draft, answers: Readonly<Record<string, string>>): Record<string, unknown> {
  const known = itemsAt(draft, 'fields').filter(isObject)
  return Object.fromEntries(
    known.flatMap(field => {
      const [key, type] = [textAt(field, 'key'), textAt(field, 'type')]
      if (type === locationType) return [[key, [sampleLocation]]]
      const text = answers[key] ?? ''
      return text === '' ? [] : [[key, answerOf(type, text)]]
    }),
  )
}

/** Type of the fields that no person answers for the preview. */
export const locationType = 'location_list'

const texts = ['string', 'enum', 'url', 'text', 'secret']

/** Returns the typed text as a value of type `type`. Returns a text that does not fit the type unchanged, and the server refuses it. */
export function answerOf(type: string, text: string): unknown {
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : text
  if (texts.includes(type)) return text
  if (type.endsWith('_list')) {
    const items = text.split(',').map(item => item.trim())
    return type === 'string_list' ? items : items.map(numberOr)
  }
  return numberOr(text)
}

/** Returns the place of the form at which a refusal is shown; null: the form has no such place. */
export const shownPlace = (named: string | null, places: ReadonlySet<string>): string | null =>
  named === null ? null : (nearestPlace(named, places) ?? (places.has(`answers.${named}`) ? `answers.${named}` : null))
