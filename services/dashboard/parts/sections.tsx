// Links between the pages of the settings, and between the pages of the administration.
import type { PageName } from '#shared/contracts/session/page-paths.ts'
import { place } from '../data/router.ts'
import { pathTo } from '../data/routing.ts'
import { may } from '../data/session.ts'

interface Section {
  page: PageName
  word: string
}

export function SettingsSections() {
  const audit = may('owner') ? [{ page: 'audit', word: 'Audit' } as const] : []
  return (
    <Sections label="Settings" of={[...settings.filter(({ page }) => page !== 'transformations' || may('editor')), ...audit]} />
  )
}

export const AdministrationSections = () => <Sections label="Administration" of={administration} />

const settings: readonly Section[] = [
  { page: 'settings', word: 'Workspace' },
  { page: 'people', word: 'People' },
  { page: 'destinations', word: 'Destinations' },
  { page: 'transformations', word: 'Transformations' },
  { page: 'addresses', word: 'Observation addresses' },
  { page: 'exports', word: 'Export and import' },
]
const administration: readonly Section[] = [
  { page: 'locations', word: 'Locations' },
  { page: 'probers', word: 'Probers' },
  { page: 'users', word: 'Users' },
  { page: 'health', word: 'Health' },
  { page: 'audit', word: 'Audit' },
]

function Sections({ label, of }: { label: string; of: readonly Section[] }) {
  const at = place.value?.page
  return (
    <nav class="sections" aria-label={label}>
      {of.map(({ page, word }) => (
        <a key={page} href={pathTo(page)} aria-current={page === at ? 'page' : undefined}>
          {word}
        </a>
      ))}
    </nav>
  )
}
