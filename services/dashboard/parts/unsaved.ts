// Text that a person has typed and not saved. Leaving the page asks the person first.
import { placeOf } from '../data/routing.ts'

let isUnsaved = () => false

/** Whether the person may leave what they typed: nothing is unsaved, or the person agrees to lose it. */
export const mayLeave = (): boolean => !isUnsaved() || confirm('Leave without saving? What you typed is lost.')

/** Until the returned function is called, leaving asks while `is` returns true. */
export function guardUnsaved(is: () => boolean): () => void {
  const parts = new AbortController()
  isUnsaved = is
  // The browser itself asks before it closes the page, loads it again, or loads a page that is none of the dashboard.
  const warn = (event: Event) => {
    if (is()) event.preventDefault()
  }
  addEventListener('beforeunload', warn, parts)
  const stay = (event: NavigateEvent) => {
    const { pathname } = new URL(event.destination.url)
    if (pathname !== location.pathname && placeOf(pathname) !== null && !mayLeave()) event.preventDefault()
  }
  window.navigation?.addEventListener('navigate', stay, parts)
  return () => {
    isUnsaved = () => false
    parts.abort()
  }
}
