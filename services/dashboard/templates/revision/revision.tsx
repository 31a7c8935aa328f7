// One revision of a Template in words.
import type { SentField, SentRule, SentTemplate } from '#shared/contracts/resources/sent-template.ts'
import { duration } from '../../data/format.ts'
import { type Column, Table } from '../../parts/table/table.tsx'
import { type DecisionWords, decisionWords } from '../decision-words.ts'
import { jsonOf, nextDraft } from '../editor/draft.ts'
import { isSystem, type NamedDestination } from '../template.ts'

interface RevisionProps {
  template: SentTemplate
  destinations: readonly NamedDestination[]
}

export function Revision({ template, destinations }: RevisionProps) {
  const { summary, fields, signals, rules, version } = template
  return (
    <>
      {summary !== '' && <p>{summary}</p>}
      <h2>Rules</h2>
      {rules.map(rule => (
        <Rule key={rule.key} rule={rule} destinations={destinations} />
      ))}
      <h2>Signals</h2>
      <Table label="Signals" columns={signalColumns} rows={signals} keyOf={({ key }) => key} empty="No signals." />
      <h2>Answers</h2>
      <p class="dim">Each monitor gives its own; one that it leaves out has its default.</p>
      <Table label="Answers" columns={fieldColumns} rows={fields} keyOf={({ key }) => key} empty="It asks for none." />
      {!isSystem(template) && (
        <details class="folded">
          <summary>As JSON</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by keyboard */}
          <pre tabIndex={0}>{jsonOf(nextDraft(template, version, destinations))}</pre>
        </details>
      )}
    </>
  )
}

function Rule({ rule, destinations }: { rule: SentRule; destinations: readonly NamedDestination[] }) {
  const { key, decision, action, wait, help } = rule
  return (
    <section class="rule-card" aria-label={`Rule ${key}`}>
      <h3>{key}</h3>
      {decision === null ? (
        <p>The installation judges it by itself.</p>
      ) : (
        <>
          <p>It is a problem if:</p>
          <Decision of={decisionWords(decision)} />
        </>
      )}
      <dl class="facts">
        <dt>Confirmed after</dt>
        <dd>{waitWords(wait.confirm_after)}</dd>
        <dt>Closed after</dt>
        <dd>{waitWords(wait.recover_after)}</dd>
        {wait.flapping !== undefined && <dt>Flapping</dt>}
        {wait.flapping !== undefined && <dd>{flappingWords(wait.flapping)}</dd>}
        {action !== null && <dt>Action</dt>}
        {action !== null && <dd>{action}</dd>}
        {help !== '' && <dt>Help</dt>}
        {help !== '' && <dd>{help}</dd>}
        <dt>Messages</dt>
        <dd>{routingWords(rule, destinations)}</dd>
      </dl>
    </section>
  )
}

function Decision({ of: { words, parts } }: { of: DecisionWords }) {
  return (
    <ul class="decision">
      <li>
        {words}
        {parts.map((part, i) => (
          <Decision key={i} of={part} />
        ))}
      </li>
    </ul>
  )
}

const waitWords = (wait: SentRule['wait']['confirm_after']): string =>
  typeof wait === 'number' ? (wait === 0 ? 'at once' : duration(wait * 1_000)) : `the answer ${wait.meta}`

const flappingWords = ({ changes, within_seconds }: NonNullable<SentRule['wait']['flapping']>): string =>
  `${changes} changes within ${duration(within_seconds * 1_000)} confirm at once`

const transitionWords: Readonly<Record<string, string>> = {
  opened: 'an incident opens',
  problem: 'a problem is confirmed',
  no_data: 'data are missing',
  recovery: 'it is over',
  acknowledged: 'somebody acknowledges',
}

function routingWords({ destination, routes }: SentRule, destinations: readonly NamedDestination[]): string {
  const nameOf = (id: string) => destinations.find(one => one.id === id)?.name ?? 'a destination that was deleted'
  if (destination !== null) return `To ${nameOf(destination)}.`
  if (routes === null) return 'To the default destination of the workspace, or as its alert delivery says.'
  if (routes.length === 0) return 'None: its routes are empty.'
  return routes
    .map(({ destination: id, on, after_minutes: after }) => {
      const when = on.map(one => transitionWords[one] ?? one).join(', ')
      return `To ${nameOf(id)} when ${when}${after === undefined ? '' : `, ${after} min later if nobody has taken it`}.`
    })
    .join(' ')
}

const signalColumns: readonly Column<SentTemplate['signals'][number]>[] = [
  { head: 'Key', cell: ({ key }) => <code>{key}</code> },
  { head: 'Kind', cell: ({ kind }) => kind },
  {
    head: 'Period',
    cell: ({ every_seconds: every, every: stated }) =>
      every === null
        ? stated === undefined
          ? 'None: never silent'
          : `As the field ${stated.meta} says`
        : `${duration(every * 1_000)}, silent after ${duration(3 * every * 1_000)}`,
  },
  { head: 'Help', cell: ({ help }) => help || '–' },
]

const fieldColumns: readonly Column<SentField>[] = [
  {
    head: 'Key',
    cell: ({ key, label }) =>
      label === key ? (
        <code>{key}</code>
      ) : (
        <>
          <code>{key}</code> {label}
        </>
      ),
  },
  { head: 'Type', cell: ({ type, options }) => (options.length === 0 ? type : `${type}: ${options.join(', ')}`) },
  {
    head: 'Default',
    cell: ({ default: usual, required }) => (usual === null ? (required ? 'Required' : 'None') : String(usual)),
  },
  { head: 'Bounds', cell: ({ min, max }) => boundWords(min, max) },
  { head: 'Help', cell: ({ help }) => help || '–' },
]

function boundWords(min: number | null, max: number | null): string {
  const parts = [...(min === null ? [] : [`at least ${min}`]), ...(max === null ? [] : [`at most ${max}`])]
  return parts.join(', ') || '–'
}
