// Frame of a page whose data only administrators of the installation can read.
import type { ComponentChildren } from 'preact'
import { isAdmin } from '../data/session.ts'
import { Empty } from '../parts/states.tsx'

export function ForAdministrators({ title, children }: { title: string; children: ComponentChildren }) {
  if (isAdmin.value) return <>{children}</>
  return (
    <>
      <h1>{title}</h1>
      <Empty title="For administrators">
        <p>Administrators of the installation see this page. They give the right to others.</p>
      </Empty>
    </>
  )
}
