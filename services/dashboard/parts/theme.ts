// Colours of the pages: those of the system, or light or dark by the person's choice. The browser keeps the choice.
import { signal } from '@preact/signals'

const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'watchkeeper-theme'

/** Chosen colours; `system`: the browser decides. */
export const theme = signal<Theme>('system')

/** Shows the colours that were chosen before. A browser that keeps nothing shows the colours of the system. */
export function startTheme(): void {
  try {
    const kept = localStorage.getItem(key)
    show(themes.find(one => one === kept) ?? 'system')
  } catch {
    show('system')
  }
}

/** Shows the next colours: the system's, then light, then dark. */
export function nextTheme(): void {
  const next = themes[(themes.indexOf(theme.peek()) + 1) % themes.length] ?? 'system'
  show(next)
  try {
    localStorage.setItem(key, next)
  } catch {
    // The choice then lasts until the page is closed.
  }
}

/** The sheet `styles/tokens.css` reads the attribute. */
function show(chosen: Theme): void {
  theme.value = chosen
  document.documentElement.dataset['theme'] = chosen
}
