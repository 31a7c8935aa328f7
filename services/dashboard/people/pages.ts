// The pages of the settings and of API keys: one chunk, because each alone would share a dozen small ones with the others.
import { addPageStyle } from '../parts/page-style.ts'
import style from '../styles/settings.page.css'

addPageStyle(style)

export { Addresses as addresses } from '../addresses/addresses.tsx'
export { Destinations as destinations } from '../destinations/destinations.tsx'
export { Keys as keys } from '../keys/keys.tsx'
export { People as people } from './people.tsx'
export { WorkspaceSettings as settings } from './workspace.tsx'
