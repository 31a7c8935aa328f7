// A dialog over the page, by the browser's own element: it keeps the focus in, Escape closes it, and the focus goes back to where it was.
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useRef } from 'preact/hooks'
import { addPageStyle } from '../page-style.ts'
import style from './form.page.css'

addPageStyle(style)

interface DialogProps {
  title: string
  onClose(): void
  children: ComponentChildren
}

/** The dialog is open while this component is drawn. */
export function Dialog({ title, onClose, children }: DialogProps) {
  const id = useId()
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      // The element that opened the dialog may be gone with the row that it removed.
      const back = before instanceof HTMLElement && before.isConnected ? before : document.getElementById('main')
      back?.focus()
    }
  }, [])
  return (
    <dialog ref={element} class="dialog" aria-labelledby={id} onClose={onClose}>
      <h2 id={id}>{title}</h2>
      {children}
    </dialog>
  )
}
