// The commands of the menu: actions of the present page, links to pages, and links to monitors. Pure.
import type { PageName } from '#shared/contracts/session/page-paths.ts'
import { pathTo } from '../data/routing.ts'

export interface Command {
  words: string
  /** Second text of the command: its keyboard shortcut, or its kind, such as `page`. */
  hint: string
  run(): void
}

/** Returns those of `commands`, in the same order, whose words contain every word of the text. */
export function matching(commands: readonly Command[], text: string): Command[] {
  const wanted = text.toLowerCase().split(/\s+/).filter(Boolean)
  return commands.filter(({ words }) => wanted.every(word => words.toLowerCase().includes(word)))
}

const pages: readonly [page: PageName, words: string][] = [
  ['monitoring', 'Monitoring'],
  ['incidents', 'Incidents'],
  ['deliveries', 'Deliveries'],
  ['templates', 'Templates'],
  ['newMonitor', 'Add a monitor'],
  ['newSubject', 'Add a monitor for reports'],
  ['settings', 'Settings of the workspace'],
  ['people', 'People of the workspace'],
  ['destinations', 'Destinations'],
  ['transformations', 'Transformations'],
  ['addresses', 'Observation addresses'],
  ['exports', 'Export and import'],
  ['keys', 'API keys'],
  ['account', 'Account'],
]
const administration: readonly [page: PageName, words: string][] = [
  ['locations', 'Locations'],
  ['probers', 'Probers'],
  ['users', 'Users'],
  ['health', 'Health of the installation'],
]

export const pageCommands = (isAdmin: boolean, go: (path: string) => void): Command[] =>
  [...pages, ...(isAdmin ? administration : [])].map(([page, words]) => ({ words, hint: 'page', run: () => go(pathTo(page)) }))
