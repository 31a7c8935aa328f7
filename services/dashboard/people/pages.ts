// The pages of the settings and of API keys, bundled as one chunk, because separate pages would add a dozen small chunks of shared code.
import { addPageStyle } from '../parts/page-style.ts'
import style from '../styles/settings.page.css'

addPageStyle(style)

export { Addresses as addresses } from '../addresses/addresses.tsx'
export { Destinations as destinations } from '../destinations/destinations.tsx'
export { Keys as keys } from '../keys/keys.tsx'
export { People as people } from './people.tsx'
export { WorkspaceSettings as settings } from './workspace.tsx'
