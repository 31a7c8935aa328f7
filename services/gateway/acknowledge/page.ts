// The page behind an acknowledge link, for somebody who was woken: what is wrong, since when, who has taken it on. One HTML text without
// script, bundle or cookie. Pure, but for the colours, which it reads once.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AcknowledgeLink } from '#shared/contracts/ask/ask-incidents.ts'
import { limits } from '#shared/limits/limits.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { humanDuration } from '#shared/time/durations.ts'
import { iconAddress } from '../http/icon.ts'

export interface Shown {
  link: AcknowledgeLink
  /** Text of the Incident's cause; null: none is known. */
  cause: string | null
  /** ms since the epoch */
  now: number
  /** Why the entered name was refused; absent: nothing was sent. */
  refused?: string
}

/** Returns the page about an Incident. */
export function incidentPage({ link: { incident }, cause, now, refused }: Shown): string {
  const { resource, explanation, rule, action, acknowledgement, isOpen } = incident
  const { word, tone } = stateOf(incident)
  const rows = [
    row('Since', sinceOf(incident, now)),
    row('Rule', escaped(rule)),
    row('Taken by', acknowledgement === null ? 'nobody yet' : takenOf(acknowledgement, now)),
    ...(action === null ? [] : [row('To do', escaped(redactedText(action)))]),
  ]
  return page(`${resource.name}: ${word}`, [
    `<p class="state ${tone}">${word}</p>`,
    `<h1>${escaped(resource.name)}</h1>`,
    `<p class="cause">${escaped(cause ?? redactedText(explanation))}</p>`,
    `<dl>${rows.join('')}</dl>`,
    ...(isOpen && acknowledgement === null ? [formOf(refused)] : []),
    `<p class="more"><a href="/subjects/${encodeURIComponent(resource.id)}">View timeline</a> (with an account)</p>`,
  ])
}

/** Returns a page that says only one thing. */
export const plainSentence = (title: string, sentence: string): string =>
  page(title, [`<h1>${title}</h1>`, `<p>${sentence}</p>`, '<p class="more"><a href="/">To the monitoring page</a></p>'])

type Incident = AcknowledgeLink['incident']

function stateOf({ isOpen, condition, confirmedAt }: Incident): { word: string; tone: string } {
  if (!isOpen) return { word: 'Over', tone: 'good' }
  if (condition === 'ok') return { word: 'Recovering', tone: 'calm' }
  if (condition === 'no_data') return { word: 'No data', tone: 'unsure' }
  return confirmedAt === null ? { word: 'Not confirmed yet', tone: 'unsure' } : { word: 'Problem', tone: 'bad' }
}

function sinceOf({ openedAt, closedAt }: Incident, now: number): string {
  if (closedAt === null) return `${timeOf(openedAt, now)}, for ${humanDuration(now - openedAt)}`
  return `${timeOf(openedAt, now)} to ${timeOf(closedAt, now)}, ${humanDuration(closedAt - openedAt)}`
}

const takenOf = ({ by, at }: NonNullable<Incident['acknowledgement']>, now: number): string =>
  `<strong>${escaped(by)}</strong>, ${timeOf(at, now)}`

/** Returns an instant as `02:11 UTC`, with the date unless it is today's. */
function timeOf(at: number, now: number): string {
  const text = new Date(at).toISOString()
  const [date = '', time = ''] = text.split('T')
  const isToday = new Date(now).toISOString().startsWith(date)
  return `<time datetime="${text}">${isToday ? '' : `${date} `}${time.slice(0, 5)} UTC</time>`
}

const row = (name: string, html: string): string => `<div><dt>${name}</dt><dd>${html}</dd></div>`

const formOf = (refused: Shown['refused']): string => `<form method="post">
<label for="by">Your name</label>
<input id="by" name="by" type="text" maxlength="${limits.acknowledge.byCharacters}" autocomplete="name" required${
  refused === undefined ? '' : ' aria-invalid="true" aria-describedby="why"'
}>
${refused === undefined ? '' : `<p id="why" class="why">${escaped(refused)}</p>\n`}<button>Acknowledge</button>
<p class="hint">Reminders stop, and nobody further is called. Checks go on.</p>
</form>`

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

const escaped = (text: string): string => text.replace(/[&<>"']/g, mark => escapes[mark] ?? mark)

const page = (title: string, parts: readonly string[]): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="${iconAddress}">
<style>${style}</style>
<body>
<main>
${parts.join('\n')}
</main>
`

/** The dashboard's colours, and the few rules of this page. */
const style = `${readFileSync(new URL('../../dashboard/styles/tokens.css', import.meta.url), 'utf8')}
* { box-sizing: border-box; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 17px/1.5 var(--sans); overflow-wrap: anywhere; }
main { max-width: 34rem; margin: 0 auto; padding: 20px 16px 40px; }
h1 { margin: 4px 0 8px; font-size: 26px; line-height: 1.25; }
p { margin: 0 0 12px; }
a { color: var(--accent); }
.state { display: inline-block; margin: 0; padding: 2px 10px; border: 1px solid; border-radius: 99px; font-weight: 600; font-size: 15px; }
.bad { color: var(--down); }
.unsure { color: var(--pending); }
.good { color: var(--up); }
.calm { color: var(--recovering); }
.cause { padding: 12px; border-radius: var(--radius); background: var(--panel); font: 600 17px/1.45 var(--mono); }
dl { margin: 0 0 16px; }
dl div { display: flex; gap: 12px; padding: 8px 0; border-bottom: 1px solid var(--line); }
dt { flex: 0 0 5.5rem; color: var(--dim); }
dd { margin: 0; }
form { margin: 20px 0; }
label { display: block; margin-bottom: 4px; font-weight: 600; }
input, button { display: block; width: 100%; min-height: 52px; padding: 10px 14px; border-radius: var(--radius); font: inherit; }
input { border: 1px solid var(--edge); background: var(--raised); color: var(--ink); }
button { margin-top: 12px; border: 0; background: var(--accent); color: var(--on-accent); font-weight: 700; font-size: 19px; cursor: pointer; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
.why { margin: 8px 0 0; color: var(--danger); font-weight: 600; }
.hint, .more { margin: 12px 0 0; color: var(--dim); font-size: 15px; }
`

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    `style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-content-type-options': 'nosniff',
} as const
