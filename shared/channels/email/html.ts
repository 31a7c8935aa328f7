// A mail as HTML: the same words as its text, with the tone as a colour. Nothing in it is loaded from elsewhere. Pure.
import type { MessageLines, Tone } from '../message/lines.ts'
import { acknowledgeWord } from '../message/said.ts'

const colors: Record<Tone, string> = { bad: '#d50201', unsure: '#b45309', good: '#15803d', calm: '#4f46e5' }

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

const escaped = (text: string): string => text.replace(/[&<>"]/g, mark => escapes[mark] ?? mark)

export function htmlOf({ title, lines, link, acknowledge, tone }: MessageLines): string {
  const rows = lines.map(({ text }) => `<p style="margin:0 0 8px">${escaped(text)}</p>`)
  return [
    '<!doctype html><html><body style="margin:0;padding:16px;font:16px/1.5 system-ui,sans-serif;color:#1f2937;background:#ffffff">',
    `<div style="max-width:600px;border-left:4px solid ${colors[tone]};padding:4px 16px">`,
    `<h1 style="margin:0 0 12px;font-size:20px">${escaped(title)}</h1>`,
    ...rows,
    ...(acknowledge === undefined ? [] : [buttonTo(acknowledge)]),
    `<p style="margin:16px 0 0"><a href="${escaped(link)}" style="color:#1d4ed8">View timeline</a></p>`,
    '</div></body></html>',
  ].join('\n')
}

const button = 'display:inline-block;padding:10px 20px;border-radius:6px;color:#ffffff;background:#1d4ed8;text-decoration:none'

const buttonTo = (address: string): string =>
  `<p style="margin:16px 0 0"><a href="${escaped(address)}" style="${button}">${acknowledgeWord}</a></p>`
