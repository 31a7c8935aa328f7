// Title and icon of the tab: the number of troubles, and the colour of the worst trouble.
import { effect, signal } from '@preact/signals'
import type { Tone } from '../words/statuses.ts'

/** Name of the present page, such as `Incidents`; empty: the monitoring page. */
export const pageTitle = signal('')
/** Number of monitors that are not up, with the worst tone; null: unknown on this page. */
export const troubles = signal<{ count: number; worst: Tone } | null>(null)

export function startTitle(): void {
  effect(() => {
    const { count } = troubles.value ?? { count: 0 }
    const name = pageTitle.value === '' ? 'Watchkeeper' : `${pageTitle.value} · Watchkeeper`
    document.title = count === 0 ? name : `(${count}) ${name}`
  })
  const link = document.querySelector<HTMLLinkElement>('link[rel=icon]')
  // The icon of the page is drawn in the colour of `up`.
  const icon = link?.href ?? ''
  effect(() => {
    if (link !== null && troubles.value !== null)
      link.href = icon.replace(colours.up, colours[troubles.value.worst] ?? colours.up)
  })
}

/** An icon has no style sheet: these are the tokens of the light theme, which stand out in a dark tab too. */
const colours: Readonly<Partial<Record<Tone, string>> & { up: string }> = {
  up: '2eb887',
  down: 'd81e3a',
  'no-data': '7b8494',
  pending: 'd98206',
  recovering: '3b7be0',
}
