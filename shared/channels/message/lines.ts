// What a message says, line by line, for every channel: its title, its lines, its link and its tone. Pure. Rules: docs/notifications.md, and
// docs/reference/v3.md, 10.7.
import type { AlertKind } from '#shared/contracts/incidents/alert.ts'
import { minute } from '#shared/limits/limits.ts'
import { humanDuration } from '#shared/time/durations.ts'
import type { DigestFacts, MessageFacts, MessageLinks } from '../port.ts'
import { jobLinesOf } from './job-words.ts'
import {
  actionOf,
  durationLineOf,
  endLineOf,
  errorOf,
  explanationOf,
  extentOf,
  type Guard,
  reasonLinesOf,
  ruleLineOf,
  silenceLinesOf,
  testWords,
  titleOf,
} from './words.ts'

/** How bad the news is. */
export type Tone = 'bad' | 'unsure' | 'good' | 'calm'

/** What a line is about. A message that is too long loses lines by this. */
export type LineKind = 'cause' | 'reason' | 'extent' | 'duration' | 'rule' | 'silence' | 'end' | 'listed'

export interface Line {
  kind: LineKind
  text: string
}

export interface MessageLines {
  title: string
  lines: readonly Line[]
  link: string
  /** Absent: the message has no link by which its reader takes the incident on. */
  acknowledge?: string
  tone: Tone
  /** Of a digest: the number of messages that it tells, of which its lines list some. */
  of?: number
}

const tones: Record<AlertKind, Tone> = {
  opened: 'unsure',
  problem: 'bad',
  no_data: 'unsure',
  recovery: 'good',
  acknowledged: 'calm',
  withdrawn: 'calm',
}

/**
 * Returns what a message says. For a rule of a Template, the lines say the rule's readings and the reasons that senders gave. For any other
 * rule, they say the failing locations and the error. `guard` makes text from outside safe for the far end; `quoted` does this for the cause, and marks it.
 */
export function linesOf(
  { alert, locationName, untakenMs, digest }: MessageFacts,
  links: MessageLinks,
  guard: Guard,
  quoted: Guard = guard,
): MessageLines {
  if (digest !== undefined) return { ...digestLines(digest, guard), link: links.subject, tone: tones[alert.kind] }
  const { isTest, job } = alert.facts
  const of = (kind: LineKind, texts: readonly string[]): Line[] => texts.map(text => ({ kind, text }))
  const cause = (text: string) => of('cause', [text === '' ? '' : quoted(text)])
  const untaken = untakenMs === undefined ? [] : [`Not taken for ${humanDuration(Math.floor(untakenMs / minute) * minute)}.`]
  const isLate = untakenMs !== undefined
  const duration = of('duration', [durationLineOf(alert, locationName, guard, isLate), ...untaken])
  const about =
    actionOf(alert) === ''
      ? [
          ...of('cause', [isTest ? testWords : '']),
          ...of('extent', [extentOf(alert, locationName, guard)]),
          ...cause(isTest ? '' : errorOf(alert)),
          ...duration,
          ...of('rule', [guard(ruleLineOf(alert))]),
          ...of('silence', silenceLinesOf(alert)),
        ]
      : [
          ...(job === undefined ? cause(explanationOf(alert)) : of('cause', jobLinesOf(job, alert, guard))),
          ...(job === undefined ? of('reason', reasonLinesOf(alert).map(guard)) : []),
          ...duration,
          ...of('silence', silenceLinesOf(alert)),
        ]
  return {
    title: titleOf(alert, guard),
    lines: [...about, ...of('end', [endLineOf(alert)])].filter(({ text }) => text !== ''),
    link: links.subject,
    ...(links.acknowledge === undefined ? {} : { acknowledge: links.acknowledge }),
    tone: isTest ? 'calm' : tones[alert.kind],
  }
}

/** How the title of a digest names messages of a kind. */
const standing: Partial<Record<AlertKind, string>> = {
  problem: 'down',
  no_data: 'no data',
  opened: 'not confirmed',
  recovery: 'back up',
}

/** Returns the title and the lines of a digest: the titles of its messages. */
function digestLines({ alerts, counts }: DigestFacts, guard: Guard): Pick<MessageLines, 'title' | 'lines' | 'of'> {
  const of = [...counts.values()].reduce((sum, count) => sum + count, 0)
  const parts = [...counts].filter(([, count]) => count > 0).map(([kind, count]) => `${count} ${standing[kind] ?? kind}`)
  const listed = alerts.map(alert => ({ kind: 'listed' as const, text: titleOf(alert, guard) }))
  return { title: `${of} more ${of === 1 ? 'message' : 'messages'}: ${parts.join(', ')}`, lines: withRest(listed, of), of }
}

/** Returns the listed messages, and a line that says how many are not listed. */
export const withRest = (listed: readonly Line[], of: number): Line[] =>
  listed.length < of ? [...listed, { kind: 'end', text: ` and ${of - listed.length} more` }] : [...listed]
