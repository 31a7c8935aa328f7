// Transformations of the workspace: templates of messages, and the destinations that use them. For editors and owners.
import { useSignal } from '@preact/signals'
import { useRef } from 'preact/hooks'
import { may } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { Button } from '../parts/button.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { addPageStyle } from '../parts/page-style.ts'
import { SettingsSections } from '../parts/sections.tsx'
import { Empty } from '../parts/states.tsx'
import { Editor } from './editor.tsx'
import { readAll, type Transformation } from './transformation.ts'
import { TransformationCard } from './transformation-card.tsx'
import style from './transformations.page.css'

addPageStyle(style)

export function Transformations() {
  pageTitle.value = 'Transformations'
  return (
    <>
      <SettingsSections />
      {may('editor') ? (
        <Editable />
      ) : (
        <>
          <h1>Transformations</h1>
          <Empty title="Not for viewers">
            <p>An editor or owner of the workspace writes its transformations.</p>
          </Empty>
        </>
      )}
    </>
  )
}

function Editable() {
  const loaded = useLoaded(readAll)
  const edited = useSignal<Transformation | 'new' | null>(null)
  const heading = useRef<HTMLHeadingElement>(null)
  const close = () => {
    edited.value = null
    heading.current?.focus()
  }
  const saved = async () => {
    await loaded.reload()
    close()
  }
  return (
    <>
      <div class="head">
        <h1 tabIndex={-1} ref={heading}>
          Transformations
        </h1>
        {edited.value === null && (
          <Button look="main" onClick={() => (edited.value = 'new')}>
            New transformation
          </Button>
        )}
      </div>
      <p class="dim">
        A transformation writes the messages of a destination in your own words. A destination without one gets the usual message.
      </p>
      {edited.value === null ? (
        <Shown of={loaded}>
          {({ transformations, receivers }) =>
            transformations.length === 0 ? (
              <Empty title="No transformations yet">
                <p>All destinations get the usual message.</p>
              </Empty>
            ) : (
              <ul class="cards">
                {transformations.map(one => (
                  <TransformationCard
                    key={one.id}
                    transformation={one}
                    receivers={receivers}
                    onEdit={() => (edited.value = one)}
                    onChanged={loaded.reload}
                  />
                ))}
              </ul>
            )
          }
        </Shown>
      ) : (
        <Editor edited={edited.value === 'new' ? null : edited.value} onSaved={saved} onClose={close} />
      )}
    </>
  )
}
