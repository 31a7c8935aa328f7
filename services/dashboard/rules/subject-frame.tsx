// Frame of the pages of one subject. Reads the subject, and shows a sentence if its signals and rules come from a Template.
import type { ComponentChildren } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'
import { createLoaded, type Loaded } from '../data/loaded.ts'
import { Shown } from '../parts/loaded.tsx'
import { Empty } from '../parts/states.tsx'
import { readSubject, type Subject } from './subject.ts'

interface FrameProps {
  id: string
  children(subject: Subject, loaded: Loaded<Subject>): ComponentChildren
}

export function SubjectFrame({ id, children }: FrameProps) {
  const loaded = useMemo(() => createLoaded(() => readSubject(id)), [id])
  useEffect(() => void loaded.reload(), [loaded])
  return (
    <Shown of={loaded}>
      {subject =>
        subject.kind === 'template' ? (
          <>
            <Crumbs subject={subject} />
            <h1 dir="auto">{subject.name}</h1>
            <Empty title="Its signals and rules come from its Template">
              <p>Publish another version of the Template to change them.</p>
            </Empty>
          </>
        ) : (
          children(subject, loaded)
        )
      }
    </Shown>
  )
}

export function Crumbs({ subject }: { subject: Pick<Subject, 'id' | 'name'> }) {
  return (
    <p class="crumbs">
      <a href="/">Monitoring</a> /{' '}
      <a href={`/monitors/${subject.id}`} dir="auto">
        {subject.name}
      </a>
    </p>
  )
}
