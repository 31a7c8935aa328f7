// Title and icon of the tab: the number of monitors that are not up, and the colour of the worst state.
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
  // Icon of the page in the colour of the tone `up`. For any other tone, the tone's colour replaces this colour.
  const icon = link?.href ?? ''
  effect(() => {
    if (link !== null && troubles.value !== null)
      link.href = icon.replace(colours.up, colours[troubles.value.worst] ?? colours.up)
  })
}

/**
 * Colours of the icon by tone, because an icon cannot use the style sheet. They are the colours of the light theme, which are visible in a
 * dark tab too.
 */
const colours: Readonly<Partial<Record<Tone, string>> & { up: string }> = {
  up: '2eb887',
  down: 'd81e3a',
  'no-data': '7b8494',
  pending: 'd98206',
  recovering: '3b7be0',
}
