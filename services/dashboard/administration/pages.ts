// Pages of the administration, bundled as one chunk, because separate pages would add a dozen small chunks of shared code.
import { addPageStyle } from '../parts/page-style.ts'
import style from '../styles/settings.page.css'

addPageStyle(style)

export { Audit as audit } from './audit.tsx'
export { Health as health } from './health.tsx'
export { Locations as locations } from './locations.tsx'
export { Probers as probers } from './probers.tsx'
export { Users as users } from './users.tsx'
