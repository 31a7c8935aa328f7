// A modal dialog, made with the browser's `dialog` element: the focus stays inside, Escape closes the dialog, and the focus then returns to
// the element that had it before.
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
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
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const before = document.activeElement
    element.current?.showModal()
    return () => {
      // The dialog may have removed the row that contains the element that opened it.
      const back = before instanceof HTMLElement && before.isConnected ? before : document.getElementById('main')
      back?.focus()
    }
  }, [])
  return (
    <dialog ref={element} class="dialog" aria-label={title} onClose={onClose}>
      <h2>{title}</h2>
      {children}
    </dialog>
  )
}
