// Content of a page that adds a monitor. A viewer sees who may do it.
import type { ComponentChildren } from 'preact'
import { may } from '../data/session.ts'
import { Empty } from './states.tsx'

export function ForEditors({ children }: { children: ComponentChildren }) {
  return may('editor') ? (
    children
  ) : (
    <Empty title="Not for viewers">
      <p>An editor or owner of the workspace adds monitors.</p>
    </Empty>
  )
}
